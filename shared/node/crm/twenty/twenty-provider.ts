import * as v from 'valibot';
import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import { MAX_LISTING_BYTES, type OutboundClient } from '../../outbound/outbound-client.ts';
import { runStep, type CrmProvider, type CrmRecord } from '../crm-provider.ts';
import { splitName, toAsciiAddress, toInternationalNumber } from '../lead-fields.ts';
import { createTwentyCaller, makeListPath, TwentyError, type TwentyExport } from './twenty-api.ts';
import { testTwenty } from './twenty-checks.ts';
import { createNote, createNoteTarget, createOnce, deriveId } from './twenty-notes.ts';

const idSchema = v.pipe(v.string(), v.uuid());
const text = v.nullish(v.string(), '');
const companiesSchema = v.object({ companies: v.array(v.object({ id: idSchema, name: text })) });
/** The parts of a person that an export may fill; absent ones count as filled. */
const personSchema = v.object({
  id: idSchema,
  companyId: v.optional(v.nullable(v.string())),
  phones: v.optional(
    v.object({ primaryPhoneNumber: text, additionalPhones: v.nullish(v.array(v.unknown()), []) }),
  ),
});
type Person = v.InferOutput<typeof personSchema>;
const peopleSchema = v.object({ people: v.array(personSchema) });
const created = v.object({ id: idSchema });

/**
 * A condition that also other values meet: a filter is one text, in which these characters end a value or
 * a condition, and those of a pattern mean something else; `_` stands for any one character.
 */
const likeText = (field: string, value: string) => `${field}[ilike]:"${value.replace(/["'()[\],\\%]/g, '_')}"`;

/** The most that Twenty lists at once. */
const MOST_COMPANIES = 60;

async function findCompany({ call, record: { company }, context: { signal } }: TwentyExport) {
  const path = makeListPath('companies', likeText('name', company), MOST_COMPANIES);
  const { companies } = await call({ path, maxResponseBytes: MAX_LISTING_BYTES, signal }, companiesSchema);

  return companies.find(({ name }) => name.toLowerCase() === company.toLowerCase())?.id;
}

async function findOrCreateCompany(task: TwentyExport): Promise<string> {
  const { call, record, context } = task;
  const found = await findCompany(task);
  if (found !== undefined) return found;
  const body = { name: record.company };
  const schema = v.object({ createCompany: created });

  return (await call({ path: 'companies', body, signal: context.signal }, schema)).createCompany.id;
}

async function findPerson({ call, record, context: { signal } }: TwentyExport): Promise<Person | undefined> {
  // An address that the form accepts has nothing that ends a value.
  const filter = `emails.primaryEmail[eq]:"${toAsciiAddress(record.email)}"`;

  return (await call({ path: makeListPath('people', filter, 1), signal }, peopleSchema)).people[0];
}

function makePerson({ name, email, phone }: CrmRecord, companyId: string) {
  const { first, last } = splitName(name);
  const number = toInternationalNumber(phone);

  return {
    name: { firstName: first, lastName: last },
    emails: { primaryEmail: toAsciiAddress(email) },
    ...(number !== null && { phones: { primaryPhoneNumber: number } }),
    companyId,
  };
}

/** Does it without the phone number where Twenty refuses that: the note has it, and a person is worth more. */
async function withoutRefusedPhone<Result>(
  { phones, ...others }: { readonly phones?: object | undefined; readonly [field: string]: unknown },
  save: (body: object) => Promise<Result>,
): Promise<Result> {
  if (phones === undefined) return save(others);

  try {
    return await save({ ...others, phones });
  } catch (error) {
    if (!(error instanceof TwentyError) || error.status !== 400 || error.isDuplicate) throw error;

    return save(others);
  }
}

/** Writes only what is empty in a person. */
async function fillPerson({ call, record, context: { signal } }: TwentyExport, known: Person, companyId: string) {
  const { phones } = makePerson(record, companyId);
  const hasNumber = known.phones?.primaryPhoneNumber !== '' || known.phones.additionalPhones.length !== 0;
  const empty = {
    ...(!hasNumber && phones && { phones }),
    ...(known.companyId === null && { companyId }),
  };
  await withoutRefusedPhone(empty, async (body) => {
    if (Object.keys(body).length === 0) return;
    await call({ path: `people/${known.id}?depth=0`, method: 'PATCH', body, signal }, v.unknown());
  });

  return known.id;
}

/**
 * Creates the person without an address; the note has it. The id is derived from the submission, because a repeated
 * attempt can't find the person by the address.
 */
function createPersonWithoutEmail(task: TwentyExport, companyId: string): Promise<string> {
  const { emails: _refused, ...others } = makePerson(task.record, companyId);
  const id = deriveId(task.record.submission_id, 'person');

  return withoutRefusedPhone(others, (body) => createOnce(task, 'people', { ...body, id }));
}

async function findOrCreatePerson(task: TwentyExport, companyId: string): Promise<string> {
  const { call, record, context } = task;
  const found = await findPerson(task);
  if (found) return fillPerson(task, found, companyId);
  const schema = v.object({ createPerson: created });

  try {
    return await withoutRefusedPhone(makePerson(record, companyId), async (body) => {
      const path = 'people?depth=0';

      return (await call({ path, body, signal: context.signal }, schema)).createPerson.id;
    });
  } catch (error) {
    if (!(error instanceof TwentyError) || !(error.isDuplicate || error.isAboutEmail)) throw error;
    // Somebody created the person meanwhile, or sales has deleted it: it keeps its address and stays deleted.
    const other = error.isDuplicate ? await findPerson(task) : undefined;

    return other ? fillPerson(task, other, companyId) : createPersonWithoutEmail(task, companyId);
  }
}

/**
 * Creates in Twenty the person of the lead's address and the company of its name, where they don't exist,
 * and a note on the person. Of an existing person only what is empty is filled: anybody can type a
 * customer's address. The id of an export is the person's.
 */
export function createTwentyProvider(
  settings: CrmSettingsOf<'twenty'>,
  client: OutboundClient,
): CrmProvider {
  const call = createTwentyCaller(settings, client);

  return {
    exportRecord: async (record, context) => {
      const task = { call, record, context };
      const [company, email] = [record.company.toLowerCase(), toAsciiAddress(record.email)];
      // Names may be given twice: two leads of one company would both search, find nothing and create.
      const companyId = await runStep(context, 'company', () =>
        context.withAdvisoryLock(`company ${company}`, () => findOrCreateCompany(task)),
      );
      const personId = await runStep(context, 'person', () =>
        context.withAdvisoryLock(`person ${email}`, () => findOrCreatePerson(task, companyId)),
      );
      const noteId = await runStep(context, 'note', () => createNote(task));
      await runStep(context, 'note target', () => createNoteTarget(task, noteId, personId));

      return personId;
    },
    test: (signal) => testTwenty(settings.apiKey, call, signal),
  };
}
