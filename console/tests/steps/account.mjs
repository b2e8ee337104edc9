// The account: export, a session that ends elsewhere, closing.

import { URL_OF_SERVICE, look, openPage } from '../browser.mjs';

/** The export is built and downloaded. */
export async function exportAccount({ page }) {
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Export everything' }).click();
  await page.getByText('The export is ready').waitFor({ timeout: 60_000 });
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  if ((await saved).suggestedFilename() !== 'scan-export.zip') throw new Error('the export has another name');
  await look(page, 'account', { full: true });
}

/** A session that is ended in another browser leads to log-in, and back to the page. */
export async function sessionEndedElsewhere({ browser, email, password, page }) {
  const other = await openPage(browser);
  await logIn(other.page, email, password, '/console/billing');
  await other.page.getByRole('heading', { name: 'Billing' }).waitFor();
  await page.reload();
  // The newest session is listed first.
  await page.getByRole('row').filter({ hasNotText: 'This session' }).getByRole('button', { name: 'Log out' }).first().click();
  await other.page.getByRole('link', { name: 'Spaces' }).first().click();
  await other.page.getByRole('heading', { name: 'Log in' }).waitFor();
  await other.page.getByLabel('E-mail address').fill(email);
  await other.page.getByLabel('Password').fill(password);
  await other.page.keyboard.press('Enter');
  await other.page.getByRole('heading', { name: 'Spaces' }).waitFor();
  await other.context.close();
}

/** The account is closed. */
export async function closeAccount({ page, password }) {
  await page.getByRole('button', { name: 'Close account' }).click();
  await page.getByRole('dialog').getByLabel('Password').fill(password);
  await page.getByRole('dialog').getByRole('button', { name: 'Close account' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
}

/** Logs in on the way to a page. */
export async function logIn(page, email, password, path) {
  await page.goto(URL_OF_SERVICE + path);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}
