// Chromium with the console: pages that fail the test on errors, violations of the policy and findings
// of axe.

import { createRequire } from 'node:module';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const modules = process.env.CONSOLE_NODE_MODULES ?? new URL('node_modules', import.meta.url).pathname;
const require = createRequire(join(modules, 'index.js'));
const { chromium } = require('playwright-core');
const axe = require.resolve('axe-core/axe.min.js');

/** Address of the service. */
export const URL_OF_SERVICE = process.env.CONSOLE_URL;
/** Folder of the screenshots; none are made without it. */
const PICTURES = process.env.PICTURES;
/** Messages of the browser that belong to the test. */
const EXPECTED = [/status of 40[0-9]/, /status of 429/];

/** Starts the browser. Containers have no user namespaces for Chromium's own sandbox. */
export async function startBrowser() {
  const path = process.env.CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(path)) throw new Error(`Chromium is missing: ${path}`);
  return chromium.launch({ executablePath: path, args: ['--no-sandbox'] });
}

/** Opens a page of the browser in an own context, with the problems that it reports. */
export async function openPage(browser, options = {}) {
  const context = await browser.newContext({
    locale: 'en-GB',
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 860 },
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const problems = [];
  const hosts = new Set();
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error' || EXPECTED.some((text) => text.test(message.text()))) return;
    problems.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (request.url().startsWith('http')) hosts.add(new URL(request.url()).origin);
  });
  return { context, page, problems, hosts };
}

/** Checks a page with axe; throws with each violation and its elements. */
export async function checkAccessibility(page, name) {
  // The policy of the page allows no script of a tag; the protocol of the browser may evaluate one.
  await page.evaluate(require('node:fs').readFileSync(axe, 'utf8'));
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  if (violations.length === 0) return;
  const lines = violations.flatMap(({ id, help, nodes }) => [
    `${id}: ${help}`,
    ...nodes.slice(0, 4).map(({ target, failureSummary }) => `  ${target.join(' ')}\n    ${failureSummary}`),
  ]);
  throw new Error(`axe found violations on ${name}:\n${lines.join('\n')}`);
}

/** Checks the page, and that it is not wider than the window; makes a screenshot. */
export async function look(page, name, { full = false } = {}) {
  await page.waitForFunction(() => !document.querySelector('.skeleton'));
  await page.waitForFunction(() => [...document.images].every((image) => image.complete || image.loading === 'lazy'));
  await checkAccessibility(page, name);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wider > 0) throw new Error(`${name} is ${wider} pixels wider than the window`);
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  const window = page.viewportSize();
  if (full) {
    // The navigation is as high as the window, and pictures are loaded when they are in it.
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width: window.width, height: Math.max(height, window.height) });
    await page.waitForFunction(() => [...document.images].every((image) => image.naturalWidth > 0));
  }
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  if (full) await page.setViewportSize(window);
}
