// The console under bad conditions, in a real browser: a thousand spaces, the document of an hour, an
// API that is restarted under the page, and a session that ends elsewhere.
//
// Environment: CONSOLE_URL, CONSOLE_NODE_MODULES, EMAIL, PASSWORD of a user with a thousand spaces. Writes
// `stop` and `start` to standard output for the API, and goes on when a line arrives on standard input.

import { createInterface } from 'node:readline';

import { openPage, startBrowser } from './browser.mjs';
import { logIn } from './steps/account.mjs';
import { hourOfWalk } from './steps/hour.mjs';

const SPACES = 1000;
/** Longest median of the time of an animation frame while scrolling, in milliseconds: 20 frames a second,
 * beside other tests on the same processors. */
const SMOOTH = 50;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** All spaces can be reached by scrolling, and the first ones are there at once. */
async function aThousandSpaces({ page }) {
  const began = Date.now();
  await logIn(page, process.env.EMAIL, process.env.PASSWORD, '/console/');
  const rows = page.locator('table[aria-label="Spaces"] tbody tr');
  await rows.nth(50).waitFor();
  console.log(`     first spaces ${Date.now() - began} ms after opening the log-in page`);
  while ((await rows.count()) < SPACES) {
    const before = await rows.count();
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.waitForFunction((known) => document.querySelectorAll('tbody tr').length > known, before);
  }
  if ((await rows.count()) !== SPACES) throw new Error(`${await rows.count()} spaces`);
  await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
}

/** While the API is away, the page says so; when it is back, the page shows its data by itself. */
async function restartedApi({ page, problems }) {
  await page.evaluate(() => scrollTo(0, 0));
  await page.evaluate(() => Object.assign(globalThis, { stillTheSamePage: true }));
  console.log('stop');
  await lines.next();
  await page.getByRole('link', { name: 'Billing' }).click();
  await page.getByText('The service did not respond').first().waitFor({ timeout: 60_000 });
  console.log('start');
  await lines.next();
  await page.getByText('The service did not respond').first().waitFor({ state: 'detached', timeout: 60_000 });
  await page.getByRole('link', { name: 'Spaces' }).first().click();
  await page.locator('table[aria-label="Spaces"] tbody tr').first().waitFor();
  if (!(await page.evaluate(() => 'stillTheSamePage' in globalThis))) throw new Error('the page was loaded again');
  // The browser reports the connections that were refused meanwhile.
  const others = problems.filter((text) => !text.includes('net::ERR_'));
  problems.length = 0;
  problems.push(...others);
}

/** The document of an hour with 600 frames scrolls, and loads only the pictures that are seen. */
async function hourLongDocument({ page }) {
  const { document, picture } = hourOfWalk();
  const bytes = JSON.stringify(document).length;
  let pictures = 0;
  await page.route('**/v1/media/**', (route) => {
    pictures += 1;
    return route.fulfill({ body: picture, contentType: 'image/svg+xml' });
  });
  await page.route(/\/v1\/spaces\/spc_\w+$/, async (route) => {
    const response = await route.fetch();
    const space = await response.json();
    return route.fulfill({ response, json: { ...space, document, document_revision: 1, scan_id: 'scn_hour' } });
  });
  const began = Date.now();
  await page.locator('table[aria-label="Spaces"] tbody a').first().click();
  await page.getByText('600 frames kept as evidence').waitFor();
  const shown = Date.now() - began;
  const atOnce = pictures;
  const delays = await page.evaluate(scrollThrough);
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (share) => Math.round(sorted[Math.floor(share * (sorted.length - 1))]);
  console.log(
    `     hour: ${bytes} bytes of JSON shown after ${shown} ms; scrolling: median ${at(0.5)} ms a frame, 95 % ${at(0.95)} ms, ` +
      `longest ${at(1)} ms of ${delays.length}; ${atOnce} pictures at once, ${pictures} at the end`,
  );
  if (atOnce > 60) throw new Error(`${atOnce} pictures were loaded before anybody scrolled`);
  if (at(0.5) > SMOOTH) throw new Error(`scrolling is not smooth: ${at(0.5)} ms`);
  await page.unroute('**/v1/media/**');
  await page.unroute(/\/v1\/spaces\/spc_\w+$/);
}

/** Scrolls to the end in steps, and returns the time of each animation frame in milliseconds. */
async function scrollThrough() {
  const delays = [];
  const next = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let last = await next();
  while (scrollY + innerHeight < document.documentElement.scrollHeight - 1 && delays.length < 2000) {
    scrollBy({ top: 120, behavior: 'instant' });
    const now = await next();
    delays.push(now - last);
    last = now;
  }
  return delays;
}

/** A session that ends elsewhere while a page is open leads to log-in at the next action. */
async function endedSession({ page, browser }) {
  const other = await openPage(browser);
  await logIn(other.page, process.env.EMAIL, process.env.PASSWORD, '/console/account');
  await other.page.getByRole('row').filter({ hasNotText: 'This session' }).getByRole('button', { name: 'Log out' }).first().click();
  await other.page.getByRole('row').filter({ hasNotText: 'This session' }).getByRole('button', { name: 'Log out' }).first().waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await other.context.close();
}

const browser = await startBrowser();
const opened = await openPage(browser);
const state = { browser, ...opened };
let failed = false;
for (const step of [aThousandSpaces, restartedApi, hourLongDocument, endedSession]) {
  const began = Date.now();
  try {
    await step(state);
    if (opened.problems.length) throw new Error(opened.problems.join('\n'));
    console.log(`ok   ${step.name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed = true;
    console.log(`FAIL ${step.name}: ${error.message}`);
    break;
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
