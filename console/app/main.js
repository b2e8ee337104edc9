// Starts the console.

import { App } from '../components/app.js';
import { html, render } from './html.js';
import { startRouter } from './router.js';

startRouter();
const root = document.getElementById('app');
if (root) render(html`<${App} />`, root);
