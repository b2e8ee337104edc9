// Names for the types of the API, which are generated from openapi.json (types/api.d.ts).

/** @typedef {import('../types/api').components['schemas']} Schemas */
/** @typedef {Schemas['ApiKey']} ApiKey */
/** @typedef {Schemas['Answer']} Answer */
/** @typedef {Schemas['AuditEntry']} AuditEntry */
/** @typedef {Schemas['BBox']} BBox */
/** @typedef {Schemas['BillingEntry']} BillingEntry */
/** @typedef {Schemas['Change']} Change */
/** @typedef {Schemas['Citation']} Citation */
/** @typedef {Schemas['Claim']} Claim */
/** @typedef {Schemas['Diff']} Diff */
/** @typedef {Schemas['Evidence'] & { url?: string | null }} Evidence `url` in answers and comparisons */
/** @typedef {Schemas['Event']} ScanEvent */
/** @typedef {Schemas['Frame']} Frame */
/** @typedef {Schemas['Narration']} Narration */
/** @typedef {Schemas['Scan']} Scan */
/** @typedef {Schemas['SearchHit']} SearchHit */
/** @typedef {Schemas['Session']} Session */
/** @typedef {Schemas['Share']} Share */
/** @typedef {Schemas['SharedDocument']} SharedDocument */
/** @typedef {Schemas['Side']} Side */
/** @typedef {Schemas['Space']} Space */
/** @typedef {Schemas['SpaceDocument']} SpaceDocument */
/** @typedef {Schemas['SpaceWithDocument']} SpaceWithDocument */
/** @typedef {Schemas['TopUp']} TopUp */
/** @typedef {Schemas['Wallet']} Wallet */
/** @typedef {Schemas['WebhookDelivery']} WebhookDelivery */
/** @typedef {Schemas['WebhookEndpoint']} WebhookEndpoint */
/** @typedef {Schemas['WebhookTest']} WebhookTest */
/** @typedef {Schemas['Zone']} Zone */

/**
 * An object of a document. openapi.json describes it only as an object.
 * @typedef {object} FoundObject
 * @property {string} id
 * @property {Claim} category
 * @property {string | null} [zone_id]
 * @property {{ min: number, best: number, max: number }} count
 * @property {Claim | null} [condition]
 * @property {Evidence[]} sightings
 */

export {};
