// The pages by path.

import { AccountPage } from '../pages/account.js';
import { BillingPage } from '../pages/billing.js';
import { KeyPage } from '../pages/key.js';
import { KeysPage } from '../pages/keys.js';
import { NewScanPage } from '../pages/new-scan.js';
import { ScanPage } from '../pages/scan.js';
import { SearchPage } from '../pages/search.js';
import { SpacePage } from '../pages/space.js';
import { SpacesPage } from '../pages/spaces.js';
import { StatementPage } from '../pages/statement.js';
import { WebhookPage } from '../pages/webhook.js';
import { WebhooksPage } from '../pages/webhooks.js';
import { match } from './router.js';

/** @type {[string, (props: any) => any][]} */
const ROUTES = [
  ['/', SpacesPage],
  ['/spaces', SpacesPage],
  ['/spaces/:space/scan', NewScanPage],
  ['/spaces/:space/scans/:scan', ScanPage],
  ['/spaces/:space/:tab', SpacePage],
  ['/spaces/:space', SpacePage],
  ['/search', SearchPage],
  ['/keys', KeysPage],
  ['/keys/:id', KeyPage],
  ['/billing', BillingPage],
  ['/billing/statements/:month', StatementPage],
  ['/webhooks', WebhooksPage],
  ['/webhooks/:id', WebhookPage],
  ['/account', AccountPage],
];

/**
 * Returns the page of a path and its parameters; `null` for an unknown path.
 * @param {string} path
 */
export function pageOf(path) {
  for (const [template, Page] of ROUTES) {
    const params = match(template, path);
    if (params) return { Page, params };
  }
  return null;
}
