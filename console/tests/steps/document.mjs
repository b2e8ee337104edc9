// The document, questions, comparison and search.

import { look } from '../browser.mjs';

/** The document: a claim opens its frame with the box, and the frame leads to its claims. */
export async function readDocument({ page }) {
  await page.getByRole('heading', { name: 'The walk' }).waitFor();
  await look(page, 'document', { full: true });
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
