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

/** Of several frames, a comparison shows those in which the finding is at the most similar place. */
export async function compareFrames({ page, space }) {
  const body = '<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="720"><rect width="1280" height="720" fill="#789"/></svg>';
  await page.route('**/v1/media/**', (route) => route.fulfill({ body, contentType: 'image/svg+xml' }));
  const seen = (color, x) => ({
    media_id: 'med_video', frame_id: `frm_${color}`, t_ms: 0, score: color === 'red' ? 0.99 : 0.5,
    url: `/v1/media/${color}`, bbox: { x, y: 0.4, w: 0.2, h: 0.1 },
  });
  const side = (id, value, evidence) => ({ id, value, zone: 'Hallway', claim_ids: [], evidence });
  const change = {
    kind: 'changed', subject: 'text', name: 'WIFI', confidence: 0.9,
    before: side('txt_1', 'maple', [seen('red', 0.1), seen('green', 0.7)]),
    after: side('txt_2', 'cedar', [seen('blue', 0.68)]),
  };
  await page.route('**/v1/spaces/*/diff?*', (route) => route.fulfill({ json: { object: 'diff', changes: [change] } }));
  await page.goto(new URL(`${space}/compare`, process.env.CONSOLE_URL).href);
  const shown = page.locator('.compare img');
  await shown.nth(1).waitFor();
  const sources = await shown.evaluateAll((images) => images.map(({ src }) => src));
  if (!sources[0].includes('green') || !sources[1].includes('blue')) throw new Error(`other frames are shown: ${sources}`);
  await page.unroute('**/v1/spaces/*/diff?*');
  await page.unroute('**/v1/media/**');
}

/** A search that finds the space with a frame. */
export async function search({ page }) {
  await page.getByRole('link', { name: 'Search' }).click();
  await page.getByLabel('Search spaces').fill('apartment');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Lakeside flat' }).waitFor();
  await look(page, 'search');
}
