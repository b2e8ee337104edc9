// A card in live mode, which is entered on the bank's own page.

import { look, openPage } from '../browser.mjs';
import { logIn } from './account.mjs';

/** Host of the bank's page, which the test plays. */
const BANK = 'https://checkout.bank.example';

/** The browser leaves the console for the bank and comes back with the completed form; the card then pays. */
export async function liveCard({ browser, email, password }) {
  const { page, context, problems } = await openPage(browser);
  let returnUrl = '';
  await page.route('**/v1/billing/card-forms', async (route) => {
    const response = await route.fetch();
    returnUrl = (await response.json()).url;
    return route.fulfill({ response, json: { object: 'card_form', url: `${BANK}/form` } });
  });
  await page.route(`${BANK}/**`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<title>Bank</title><h1>Enter your card</h1><a href="${returnUrl}">Save</a>`,
    }),
  );
  await logIn(page, email, password, '/console/billing');
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await page.getByText('None is stored.').waitFor();
  await page.getByText('Card numbers never reach this service').waitFor();
  await look(page, 'billing-live');
  await page.getByRole('button', { name: 'Enter a card' }).click();
  await page.getByRole('heading', { name: 'Enter your card' }).waitFor();
  // Somebody who changes their mind and goes back has no card.
  await page.goBack();
  await page.getByText('None is stored.').waitFor();
  await page.getByRole('button', { name: 'Enter a card' }).click();
  await page.getByRole('link', { name: 'Save' }).click();
  await page.getByText('ending in 4242').waitFor();
  if (new URL(page.url()).search) throw new Error(`the form stays in the address: ${page.url()}`);
  await page.getByRole('button', { name: 'Live', exact: true, pressed: true }).waitFor();
  await page.getByRole('button', { name: 'Top up', exact: true }).click();
  await page.getByText('was added to your balance').waitFor();
  if (problems.length) throw new Error(problems.join('\n'));
  await context.close();
}
