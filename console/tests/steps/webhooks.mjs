// Webhook endpoints: a refused address, a secret shown once, a test event, deliveries, replay.

import { look } from '../browser.mjs';

export async function webhooks(state) {
  const { page } = state;
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Add endpoint' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('https://127.0.0.1/hook');
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await dialog.locator('.field-error').waitFor();
  await look(page, 'webhook-refused');
  if (!process.env.WEBHOOK_URL) {
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    return;
  }
  await dialog.getByLabel('URL').fill(process.env.WEBHOOK_URL);
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  const secret = await page.getByLabel('Signing secret').inputValue();
  if (!secret.startsWith('whsec_')) throw new Error(`the signing secret is ${secret}`);
  await page.getByRole('link', { name: process.env.WEBHOOK_URL }).click();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.getByText(/Your server responded with/).waitFor();
  const event = await page.evaluate(async () => {
    const response = await fetch('/v1/events', { headers: { 'Scan-Mode': 'test' } });
    return (await response.json()).data[0].id;
  });
  await page.evaluate(async (id) => {
    const endpoint = location.pathname.split('/').pop();
    await fetch(`/v1/webhook-endpoints/${endpoint}/replay`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Scan-Mode': 'test' },
      body: JSON.stringify({ event_ids: [id] }),
    });
  }, event);
  await untilDelivered(page);
  await page.locator('.deliveries summary').first().click();
  await page.locator('.attempts li').first().waitFor();
  await look(page, 'webhook', { full: true });
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.locator('.attempts li').nth(1).waitFor();
}

/** Refreshes the deliveries until one has arrived. */
async function untilDelivered(page) {
  const delivered = page.locator('.deliveries .badge.good');
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answered = page.waitForResponse((response) => response.url().includes('/deliveries'));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await answered;
    if (await delivered.count()) return;
  }
  throw new Error('the event was not delivered');
}
