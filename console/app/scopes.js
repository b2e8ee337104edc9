// Scopes of API keys, in words.

/** @type {[string, string][]} */
export const SCOPES = [
  ['spaces:read', 'Read spaces, documents, comparisons and skills'],
  ['spaces:write', 'Create, change and delete spaces'],
  ['shares:write', 'Share documents by link, and end the links'],
  ['scans:read', 'Read scans'],
  ['scans:write', 'Create, upload, start and cancel scans'],
  ['ask:write', 'Ask questions'],
  ['search:read', 'Search'],
  ['wallet:read', 'Read the balance'],
  ['events:read', 'Read and stream events'],
];
