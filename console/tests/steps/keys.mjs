// API keys: created, shown once, revoked; live keys ask for nothing more right after log-in.

import { look } from '../browser.mjs';

export async function keys({ page }) {
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'New test key' }).first().click();
  await page.getByLabel('Name').fill('Server');
  await page.getByLabel(/Monthly cap/).fill('50');
  await look(page, 'new-key');
  await page.getByRole('button', { name: 'Create key' }).click();
  const secret = await page.getByLabel('Secret').inputValue();
  if (!secret.startsWith('sc_test_')) throw new Error(`the secret is ${secret}`);
  const status = await page.evaluate(async (key) => {
    const response = await fetch('/v1/me', { headers: { Authorization: `Bearer ${key}` } });
    return response.status;
  }, secret);
  if (status !== 200) throw new Error(`the new key got ${status}`);
  await look(page, 'keys');
  await page.getByRole('link', { name: 'Server' }).click();
  await page.getByRole('heading', { name: 'Requests by day' }).waitFor();
  await look(page, 'key');
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('Revoked').waitFor();
}
