// The same pages in dark colours and in the width of a phone.

import { look, openPage } from '../browser.mjs';
import { logIn } from './account.mjs';
import { printVitals } from './vitals.mjs';

const PHONE = { width: 390, height: 844 };

export async function darkAndPhone({ browser, email, password, space }) {
  const { page, context, problems } = await openPage(browser, { colorScheme: 'dark' });
  await logIn(page, email, password, space);
  await page.getByText('frames kept as evidence').waitFor();
  // Opened again by somebody who is logged in.
  await page.reload();
  await page.getByText('frames kept as evidence').waitFor();
  await printVitals(page, 'document');
  await look(page, 'document-dark', { full: true });
  await page.locator('.zone-card button.chip').first().click();
  await page.getByRole('dialog').locator('.box.selected').first().waitFor();
  await look(page, 'frame-dark');
  await page.keyboard.press('Escape');
  for (const path of ['billing', 'keys', 'webhooks', 'account']) {
    await page.goto(new URL(`/console/${path}`, process.env.CONSOLE_URL).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await look(page, `${path}-dark`);
  }
  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: 'light' });
  for (const [name, path] of [
    ['document', space],
    ['ask', `${space}/ask`],
    ['compare', `${space}/compare`],
    ['scans', `${space}/scans`],
    ['billing', '/console/billing'],
    ['account', '/console/account'],
    ['keys', '/console/keys'],
  ]) {
    await page.goto(new URL(path, process.env.CONSOLE_URL).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await look(page, `${name}-phone`);
  }
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Webhooks' }).waitFor();
  await look(page, 'menu-phone');
  if (problems.length) throw new Error(problems.join('\n'));
  await context.close();
}
