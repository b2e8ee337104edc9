// The way of a new user through the console, in a real browser.
//
// Environment: CONSOLE_URL, MAIL_FOLDER, WALK (a video of the place of console/sample), CONSOLE_NODE_MODULES;
// optional: WEBHOOK_URL, PICTURES, CHROMIUM.

import { openPage, startBrowser } from './browser.mjs';
import { signUp } from './steps/sign-up.mjs';
import { firstScan, secondScan, cancelledScan } from './steps/scans.mjs';
import { compare, compareFrames, correctDocument, readDocument, ask, search } from './steps/document.mjs';
import { billing } from './steps/billing.mjs';
import { liveCard } from './steps/live-card.mjs';
import { keys } from './steps/keys.mjs';
import { webhooks } from './steps/webhooks.mjs';
import { closeAccount, exportAccount, sessionEndedElsewhere } from './steps/account.mjs';
import { darkAndPhone } from './steps/looks.mjs';
import { firstPage } from './steps/first-page.mjs';
import { share } from './steps/share.mjs';

const STEPS = [
  firstPage,
  signUp,
  keys,
  firstScan,
  readDocument,
  correctDocument,
  ask,
  search,
  share,
  billing,
  liveCard,
  secondScan,
  compare,
  compareFrames,
  cancelledScan,
  webhooks,
  darkAndPhone,
  exportAccount,
  sessionEndedElsewhere,
  closeAccount,
];

const browser = await startBrowser();
const opened = await openPage(browser);
const state = { browser, ...opened };
let failed = false;
for (const step of STEPS) {
  const began = Date.now();
  try {
    await step(state);
    if (opened.problems.length) throw new Error(opened.problems.join('\n'));
    console.log(`ok   ${step.name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed = true;
    console.log(`FAIL ${step.name}: ${error.message}`);
    if (process.env.PICTURES) await opened.page.screenshot({ path: `${process.env.PICTURES}/failure.png` });
    break;
  }
}
const outside = [...opened.hosts].filter((host) => host !== process.env.CONSOLE_URL);
if (!failed && outside.length > 0) {
  failed = true;
  console.log(`FAIL the console loaded from ${outside.join(', ')}`);
}
await browser.close();
process.exitCode = failed ? 1 : 0;
