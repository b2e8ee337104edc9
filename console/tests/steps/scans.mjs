// Uploads and scans.

import { readFileSync } from 'node:fs';

import { look } from '../browser.mjs';

const SCAN_TIMEOUT = 240_000;

/** Drops a file on the drop zone, as a person does. */
async function drop(page, file, name, type) {
  const content = readFileSync(file).toString('base64');
  const data = await page.evaluateHandle(
    async ({ content, name, type }) => {
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], name, { type }));
      return transfer;
    },
    { content, name, type },
  );
  await page.dispatchEvent('.drop-zone', 'drop', { dataTransfer: data });
}

async function scanVideo(state, walk) {
  const { page } = state;
  await drop(page, walk, 'walk.mp4', 'video/mp4');
  await page.getByText('walk.mp4').waitFor();
  await page.getByRole('button', { name: 'Upload video and scan' }).click();
  await page.getByRole('list', { name: 'Stages' }).waitFor();
}

/** The first document: one click scans the packaged walk, and the space gets a name of its own. */
export async function firstScan(state) {
  const { page } = state;
  await page.getByRole('link', { name: 'Spaces' }).first().click();
  await page.getByRole('button', { name: 'Scan the sample walk' }).click();
  await page.locator('.stages .now').waitFor({ timeout: SCAN_TIMEOUT });
  await look(page, 'scan-progress');
  await page.getByText('frames kept as evidence').waitFor({ timeout: SCAN_TIMEOUT });
  await page.getByRole('link', { name: 'Sample flat' }).click();
  await page.getByText('frames kept as evidence').waitFor();
  state.space = new URL(page.url()).pathname;
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Name').fill('Lakeside flat');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Lakeside flat' }).waitFor();
}

/** Another scan of the same space by drag and drop, for the comparison. Its first start gets no response. */
export async function secondScan(state) {
  const { page } = state;
  const starts = await loseFirstStart(page);
  await page.goto(new URL(state.space, process.env.CONSOLE_URL).href);
  await page.getByRole('button', { name: 'New scan' }).click();
  await page.getByText('Drop a video or photos here').waitFor();
  await look(page, 'new-scan');
  await scanVideo(state, process.env.WALK);
  if (starts.length !== 2) throw new Error(`the start was sent ${starts.length} times`);
  // The browser reports the response that was lost.
  state.problems.splice(0, Infinity, ...state.problems.filter((text) => !text.includes('status of 503')));
  await page.getByText('frames kept as evidence').waitFor({ timeout: SCAN_TIMEOUT });
}

/** Lets the service start the scan, and keeps its first response from the page. Returns the list of starts. */
async function loseFirstStart(page) {
  const starts = [];
  await page.route('**/v1/scans/*/start', async (route) => {
    starts.push(route.request().url());
    if (starts.length > 1) return route.continue();
    await route.fetch();
    const error = { code: 'ENGINE_UNAVAILABLE', message: 'The response is lost.', request_id: 'req_lost' };
    return route.fulfill({ status: 503, json: { error } });
  });
  return starts;
}

/** A scan of photos, reordered and then cancelled before its start. */
export async function cancelledScan(state) {
  const { page } = state;
  await page.goto(new URL(`${state.space}/scan`, process.env.CONSOLE_URL).href);
  const photo = Buffer.from('/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=', 'base64');
  const files = ['a.jpg', 'b.jpg', 'c.jpg'].map((name) => ({ name, mimeType: 'image/jpeg', buffer: photo }));
  await page.locator('input[type=file]').setInputFiles(files);
  await page.getByRole('button', { name: 'Move c.jpg earlier' }).click();
  await page.getByText('2. c.jpg').waitFor();
  await page.getByRole('button', { name: 'Remove b.jpg' }).click();
  await page.getByText('b.jpg').waitFor({ state: 'detached' });
  await look(page, 'photos');
  // The start is refused by nobody, so the scan is created with the API of the page and cancelled.
  const id = await page.evaluate(async (space) => {
    const body = { input: { kind: 'frames', language: 'en', frames: [{}] } };
    const headers = { 'Content-Type': 'application/json', 'Scan-Mode': 'test' };
    const response = await fetch(`/v1/spaces/${space}/scans`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()).id;
  }, state.space.split('/').pop());
  await page.goto(new URL(`${state.space}/scans/${id}`, process.env.CONSOLE_URL).href);
  await page.getByRole('link', { name: 'Continue the upload' }).click();
  await page.getByText('Choose the files of the unfinished scan again').waitFor();
  await page.locator('input[type=file]').setInputFiles(files.slice(0, 2));
  await page.getByText('These are not the files of the unfinished scan').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Cancel scan' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel scan' }).click();
  await page.getByText('Cancelled', { exact: true }).first().waitFor();
  await page.goto(new URL(`${state.space}/scans`, process.env.CONSOLE_URL).href);
  await page.getByRole('table', { name: 'Scans' }).waitFor();
  await look(page, 'scans');
}
