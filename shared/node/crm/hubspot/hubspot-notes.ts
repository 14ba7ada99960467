import * as v from 'valibot';
import { MAX_LISTING_BYTES } from '../../outbound/outbound-client.ts';
import { HUBSPOT_VERSION, type CallHubspot } from './hubspot-api.ts';
import { readResponse } from '../read-response.ts';

/** Association of a note with a contact. Source: HubSpot's table of association types. */
const NOTE_TO_CONTACT = 202;
/** So many notes of the longest kind, 65,536 characters, fit a listing. */
const NOTES_A_READ = 50;
/** An earlier attempt's note is among the newest, and a contact's whole history would take longer than an attempt may. */
const MOST_NOTES = 500;

const id = v.pipe(v.string(), v.digits());
const createdSchema = v.object({ id });
const associationsSchema = v.object({
  results: v.array(v.object({ toObjectId: v.pipe(v.union([v.number(), v.string()]), v.transform(String), id) })),
  paging: v.optional(v.object({ next: v.optional(v.object({ after: v.string() })) })),
});
const notesSchema = v.object({
  results: v.array(v.object({ id, properties: v.object({ hs_note_body: v.nullish(v.string(), '') }) })),
});

interface NewNote {
  readonly contactId: string;
  /** In ISO 8601; the note's place on the contact's time line. */
  readonly time: string;
  /** HTML, 65,536 characters at most. */
  readonly body: string;
}

/**
 * Adds a note to a contact; resolves to its id. Done twice it makes two.
 * @throws DeliveryError
 */
export async function createNote(
  call: CallHubspot,
  { contactId, time, body }: NewNote,
): Promise<string> {
  const type = { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: NOTE_TO_CONTACT };
  const response = await call({
    method: 'POST',
    path: `/crm/objects/${HUBSPOT_VERSION}/notes`,
    body: {
      properties: { hs_timestamp: time, hs_note_body: body },
      associations: [{ to: { id: contactId }, types: [type] }],
    },
  });

  return readResponse('hubspot', response, createdSchema).id;
}

/** Ids of one page of a contact's notes, and where the next page begins. */
async function readNotesPage(call: CallHubspot, contactId: string, after: string | undefined) {
  const query = after === undefined ? '' : `&after=${encodeURIComponent(after)}`;
  const path = `/crm/objects/${HUBSPOT_VERSION}/contacts/${contactId}/associations/notes?limit=500${query}`;
  const { results, paging } = readResponse('hubspot', await call({ method: 'GET', path }), associationsSchema);

  return { ids: results.map(({ toObjectId }) => toObjectId), next: paging?.next?.after };
}

/** Ids of the contact's newest notes, the newest first: ids grow. */
async function listNewestNoteIds(call: CallHubspot, contactId: string): Promise<string[]> {
  let page = await readNotesPage(call, contactId, undefined);
  const ids = page.ids;
  while (page.next !== undefined) {
    page = await readNotesPage(call, contactId, page.next);
    ids.push(...page.ids);
  }

  return ids.sort((one, other) => Number(other) - Number(one)).slice(0, MOST_NOTES);
}

/**
 * The id of the contact's note that contains `marker`; undefined when none of the newest does. Doesn't use
 * HubSpot's search, which knows a new note only some time later.
 * @throws DeliveryError
 */
export async function findNote(
  call: CallHubspot,
  contactId: string,
  marker: string,
): Promise<string | undefined> {
  const ids = await listNewestNoteIds(call, contactId);
  for (let start = 0; start < ids.length; start += NOTES_A_READ) {
    const inputs = ids.slice(start, start + NOTES_A_READ).map((noteId) => ({ id: noteId }));
    const response = await call({
      method: 'POST',
      path: `/crm/objects/${HUBSPOT_VERSION}/notes/batch/read`,
      body: { inputs, properties: ['hs_note_body'], propertiesWithHistory: [] },
      maxResponseBytes: MAX_LISTING_BYTES,
    });
    const { results } = readResponse('hubspot', response, notesSchema);
    const note = results.find(({ properties }) => properties.hs_note_body?.includes(marker));
    if (note) return note.id;
  }

  return undefined;
}
