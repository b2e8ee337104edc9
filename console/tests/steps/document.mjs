// The document, questions, comparison and search.

import { look } from '../browser.mjs';

/** The document: a claim opens its frame with the box, and the frame leads to its claims. */
export async function readDocument({ page }) {
  await page.getByRole('heading', { name: 'The walk' }).waitFor();
  await look(page, 'document', { full: true });
  await usePlan(page);
  await playTranscript(page);
  const chip = page.locator('.zone-card button.chip').first();
  await chip.click();
  await page.getByRole('dialog').locator('.box.selected').first().waitFor();
  await look(page, 'frame');
  const another = page.getByRole('dialog').locator('.claims .claim').first();
  if (await another.count()) {
    await another.click();
    await page.getByRole('dialog').locator('.chosen').waitFor();
  }
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('API calls of this page').click();
  await page.getByText('Authorization: Bearer $SCAN_API_KEY').first().waitFor();
}

/** A room of the plan leads to its card, and a door to a frame. */
async function usePlan(page) {
  const room = page.locator('.plan .room').first();
  await room.focus();
  await page.keyboard.press('Enter');
  await page.locator('.zone-card:focus').waitFor();
  await page.locator('.plan .doorway[role]').first().click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  await page.getByRole('img', { name: /^Ways between zones/ }).waitFor();
  await look(page, 'document-graph');
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
}

/** The video plays from a sentence, and the transcript follows it. */
async function playTranscript(page) {
  const sentence = page.locator('.transcript li').nth(2);
  await sentence.getByRole('button', { name: /play from here/ }).click();
  await page.locator('.transcript li[aria-current]').waitFor();
  await page.waitForFunction(() => (document.querySelector('.recording video')?.currentTime ?? 0) > 1);
  await page.evaluate(() => document.querySelector('.recording video').pause());
  await page.getByRole('button', { name: /^Frame at/ }).first().click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
}

/** The owner corrects a text in the frame that shows it, and takes the correction back. */
export async function correctDocument({ page, space }) {
  await page.goto(new URL(space, process.env.CONSOLE_URL).href);
  await page.locator('.zone-card .texts button.chip').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Correct this' }).click();
  await dialog.getByLabel('It reads').fill('WRITTEN OTHERWISE');
  await look(page, 'correct');
  await dialog.getByRole('button', { name: 'Correct', exact: true }).click();
  await page.getByRole('heading', { name: 'Corrected by you' }).waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await page.locator('.zone-card').getByRole('button', { name: 'WRITTEN OTHERWISE' }).waitFor();
  await page.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('heading', { name: 'Corrected by you' }).waitFor({ state: 'detached' });
}

/** A question with a citation that opens its frame. */
export async function ask({ page }) {
  await page.getByRole('link', { name: 'Ask', exact: true }).click();
  await page.getByLabel('Your question').fill('What do the signs say?');
  await page.keyboard.press('Enter');
  await page.locator('.citation').first().waitFor();
  await look(page, 'ask');
  await page.locator('.citation:not(:disabled)').first().click();
  await page.getByRole('dialog').locator('.box.selected').first().waitFor();
  await page.keyboard.press('Escape');
}

/** The comparison of two scans. */
export async function compare(state) {
  const { page } = state;
  await page.goto(new URL(`${state.space}/compare`, process.env.CONSOLE_URL).href);
  await page.getByRole('heading', { name: /change/i }).waitFor();
  await look(page, 'compare', { full: true });
}

/** A search that finds the space with a frame. */
export async function search({ page }) {
  await page.getByRole('link', { name: 'Search' }).click();
  await page.getByLabel('Search spaces').fill('apartment');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Lakeside flat' }).waitFor();
  await look(page, 'search');
}
