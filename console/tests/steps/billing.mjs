// Billing: a declined and a successful top-up.

import { look } from '../browser.mjs';

export async function billing({ page }) {
  await page.getByRole('link', { name: 'Billing' }).click();
  await page.getByText('None is stored.').waitFor();
  await page.getByLabel('Test card').selectOption('pm_card_chargeCustomerFail');
  await page.getByRole('button', { name: 'Store' }).click();
  await page.getByText('ending in 0341').waitFor();
  await page.getByRole('button', { name: 'Top up', exact: true }).click();
  await page.getByText(/The bank declined/).waitFor();
  await page.getByLabel('Test card').selectOption('pm_card_visa');
  await page.getByRole('button', { name: 'Replace' }).click();
  await page.getByText('ending in 4242').waitFor();
  await page.getByRole('button', { name: 'Top up', exact: true }).click();
  await page.getByText('was added to your balance').waitFor();
  await page.locator('.figure', { hasText: 'Balance' }).getByText('20.00').waitFor();
  await look(page, 'billing', { full: true });
  await page.getByRole('button', { name: 'Statement' }).click();
  await page.getByRole('table', { name: 'Statement' }).waitFor();
  await look(page, 'statement');
}
