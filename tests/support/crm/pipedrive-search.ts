import type { CrmResponse } from './fake-crm.ts';
import type { RoutedRequest } from './crm-rules.ts';
import { respondData, refuse, showLead, type PipedriveAccount } from './pipedrive-records.ts';

/** A record and the texts of it that a search of this field compares. */
interface Searchable {
  readonly item: { readonly id: number | string };
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

function searchRecords(records: readonly Searchable[], { query }: RoutedRequest): CrmResponse {
  const term = (query.get('term') ?? '').toLowerCase();
  const exact = query.get('exact_match') === 'true';
  const fields = query.get('fields')?.split(',') ?? Object.keys(records[0]?.texts ?? {});
  if (term.length < (exact ? 1 : 2)) refuse(400, 'Validation failed: term: too short');
  const fits = (text: string) =>
    exact ? text.toLowerCase() === term : text.toLowerCase().includes(term);
  const items = records
    .filter(({ texts }) => fields.some((field) => (texts[field] ?? []).some(fits)))
    .slice(0, Number(query.get('limit') ?? 100))
    .map(({ item }) => ({ result_score: 1, item }));

  return respondData(200, { items });
}

function requireFields({ query }: RoutedRequest, known: readonly string[]): void {
  const alien = query.get('fields')?.split(',').find((field) => !known.includes(field));
  if (alien !== undefined) refuse(400, `Validation failed: fields: ${alien} is not allowed`);
}

export function searchPersons(account: PipedriveAccount, request: RoutedRequest): CrmResponse {
  requireFields(request, ['name', 'email', 'phone', 'notes', 'custom_fields']);
  const records = account.persons.map(({ id, name, emails = [], phones = [] }) => {
    const email = emails.map(({ value }) => value);
    const phone = phones.map(({ value }) => value);

    return {
      item: { id, type: 'person', name, emails: email, phones: phone },
      texts: { name: [name], email, phone },
    };
  });

  return searchRecords(records, request);
}

export function searchOrganizations(account: PipedriveAccount, request: RoutedRequest): CrmResponse {
  requireFields(request, ['name', 'address', 'notes', 'custom_fields']);
  const records = account.organizations.map(({ id, name }) => ({
    item: { id, type: 'organization', name },
    texts: { name: [name] },
  }));

  return searchRecords(records, request);
}

/** Compares titles, notes and custom fields: `origin_id` is not among them. */
export function searchLeads(account: PipedriveAccount, request: RoutedRequest): CrmResponse {
  requireFields(request, ['title', 'notes', 'custom_fields']);
  const person = request.query.get('person_id');
  const records = account.leads
    .filter(({ person_id }) => person === null || String(person_id) === person)
    .map((lead) => ({
      item: { id: lead.id, type: 'lead', title: lead.title, person: { id: lead.person_id } },
      texts: {
        title: [lead.title],
        notes: account.notes
          .filter(({ lead_id }) => lead_id === lead.id)
          .map(({ content }) => content),
        custom_fields: account.leadFields
          .map((key) => lead.values[key])
          .filter((value) => typeof value === 'string'),
      },
    }));

  return searchRecords(records, request);
}

/**
 * Gives the leads of the person or organization asked for, from the archive or without what is there; other
 * parameters filter nothing.
 */
function respondLeads(account: PipedriveAccount, { query }: RoutedRequest, isArchived: boolean): CrmResponse {
  const keep = (name: string, own: number | null) =>
    query.get(name) === null || query.get(name) === String(own);
  const start = Number(query.get('start') ?? 0);
  const found = account.leads.filter(
    (lead) =>
      lead.isArchived === isArchived &&
      keep('person_id', lead.person_id) && keep('organization_id', lead.organization_id),
  );

  return respondData(200, found.slice(start, start + Number(query.get('limit') ?? 100)).map(showLead));
}

export const listLeads = (account: PipedriveAccount, request: RoutedRequest) => respondLeads(account, request, false);

export const listArchivedLeads = (account: PipedriveAccount, request: RoutedRequest) =>
  respondLeads(account, request, true);

export function listNotes(account: PipedriveAccount, { query }: RoutedRequest): CrmResponse {
  const keep = (name: string, own: number | string | undefined) =>
    query.get(name) === null || query.get(name) === String(own);

  return respondData(
    200,
    account.notes.filter(
      (note) => keep('lead_id', note.lead_id) && keep('person_id', note.person_id),
    ),
  );
}
