// Sign-up, and the confirmation of the address by the mailed link.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { URL_OF_SERVICE, look } from '../browser.mjs';

/** A user signs up, is led to the first scan, and confirms the address. */
export async function signUp(state) {
  const { page } = state;
  state.email = `kim.${Date.now()}@example.com`;
  state.password = 'four unrelated plain words';
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('E-mail address').fill(state.email);
  await page.getByLabel('Password').fill(state.password);
  await look(page, 'sign-up');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Scan your first space' }).waitFor();
  await look(page, 'first-steps');
  const link = await confirmationLink(page, state.email);
  const other = await state.context.newPage();
  await other.goto(URL_OF_SERVICE + new URL(link).pathname + new URL(link).search);
  await other.getByRole('button', { name: 'Confirm' }).click();
  await other.getByText('Your e-mail address is confirmed.').waitFor();
  await other.close();
  await page.getByRole('button', { name: 'I have confirmed it' }).click();
  await page.getByText('to use live mode').waitFor({ state: 'detached' });
}

/** Waits for the message with the link; the page keeps the time. */
async function confirmationLink(page, address) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const names = readdirSync(process.env.MAIL_FOLDER, { recursive: true }).map(String);
    for (const name of names.filter((file) => file.endsWith('.eml'))) {
      const text = readFileSync(join(process.env.MAIL_FOLDER, name), 'utf8').replaceAll('=\r\n', '').replaceAll('=3D', '=');
      const link = text.match(/https?:\/\/\S+\/console\/confirm-email\?token=[\w-]+/)?.[0];
      if (text.includes(address) && link) return link;
    }
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
  }
  throw new Error(`no message to ${address}`);
}
