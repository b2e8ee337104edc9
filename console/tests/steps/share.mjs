// A link that shows the document to somebody without an account.

import { look, openPage } from '../browser.mjs';

/** The link opens in another browser, sends its token in no address, and ends at once. */
export async function share({ browser, page, space }) {
  await page.goto(new URL(space, process.env.CONSOLE_URL).href);
  await page.getByRole('link', { name: 'Share' }).click();
  await page.getByLabel('The link ends after').selectOption('30');
  await page.getByRole('button', { name: 'Make a link' }).click();
  const url = await page.getByLabel('Link', { exact: true }).inputValue();
  await page.getByRole('table', { name: 'Links' }).waitFor();
  await look(page, 'share');

  const token = new URL(url).hash.slice(1);
  const guest = await openPage(browser, { viewport: { width: 1280, height: 860 } });
  const sent = [];
  guest.page.on('request', (request) => sent.push(request.url(), request.headers().referer ?? ''));
  await guest.page.goto(url.replace(new URL(url).origin, process.env.CONSOLE_URL));
  await guest.page.getByRole('heading', { name: 'Lakeside flat' }).waitFor();
  await guest.page.getByText('The owner hides').waitFor();
  await guest.page.waitForFunction(() => document.querySelector('.zone-card img')?.naturalWidth > 0);
  await look(guest.page, 'shared', { full: true });
  await guest.page.locator('.zone-card button.chip').first().click();
  await guest.page.getByRole('dialog').locator('.box.selected').first().waitFor();
  await guest.page.keyboard.press('Escape');
  if (await guest.page.locator('video').count()) throw new Error('the video was shared');
  if (sent.some((text) => text.includes(token))) throw new Error('an address contained the token');
  if ((await guest.context.cookies()).length > 0) throw new Error('the guest got a cookie');
  await guest.page.setViewportSize({ width: 390, height: 844 });
  await look(guest.page, 'shared-phone');

  await page.getByRole('button', { name: 'End' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'End link' }).click();
  await page.getByText('Revoked').first().waitFor();
  await guest.page.reload();
  await guest.page.getByRole('heading', { name: 'This link has ended' }).waitFor();
  await look(guest.page, 'shared-ended');
  await guest.page.goto(`${process.env.CONSOLE_URL}/console/shared#${token.slice(0, -1)}`);
  await guest.page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
  if (guest.problems.filter((text) => !text.includes('status of 4')).length) throw new Error(guest.problems.join('\n'));
  await guest.context.close();
}
