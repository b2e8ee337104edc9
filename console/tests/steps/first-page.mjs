// Size and time of the first page.

import { URL_OF_SERVICE, look } from '../browser.mjs';
import { printVitals } from './vitals.mjs';

const MAX_BYTES = 300_000;

/** The first page loads at most 300 kB from the service. */
export async function firstPage({ page }) {
  const sizes = [];
  const count = (response) => sizes.push(response.body().then((body) => body.length, () => 0));
  page.on('response', count);
  await page.goto(`${URL_OF_SERVICE}/console/`);
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await printVitals(page, 'log-in');
  page.off('response', count);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  if (bytes > MAX_BYTES) throw new Error(`the first page has ${bytes} bytes`);
  console.log(`     first page: ${bytes} bytes in ${sizes.length} responses`);
  await look(page, 'log-in');
}
