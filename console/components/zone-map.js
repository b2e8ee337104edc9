// How the zones are connected: as a plan, or as a graph in the order of the walk.

import { html, useState } from '../app/html.js';
import { Card } from './layout.js';
import { ZoneGraph } from './zone-graph.js';
import { ZonePlan } from './zone-plan.js';

/** @param {{ index: import('../app/space-document.js').DocumentIndex, open: (frame: string, claim?: string) => void }} props */
export function ZoneMap({ index, open }) {
  const [view, setView] = useState('plan');
  if (index.document.zones.length === 0) return null;
  const views = [['plan', 'Plan'], ['graph', 'Graph']].map(
    ([name, text]) => html`<button key=${name} type="button" aria-pressed=${view === name} onClick=${() => setView(name)}>${text}</button>`,
  );
  const actions = html`<div class="mode-switch" role="group" aria-label="View">${views}</div>`;
  return html`<${Card} title="Zones and ways" actions=${actions}>
    ${view === 'plan' ? html`<${ZonePlan} index=${index} open=${open} />` : html`<${ZoneGraph} index=${index} />`}
  <//>`;
}
