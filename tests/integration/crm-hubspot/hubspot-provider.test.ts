import { describe, expect, test } from 'vitest';
import { respondWith } from '../../support/crm/crm-export.ts';
import { onCreate, setUp } from './hubspot-account.ts';

const onNote = /POST .*\/objects\/2026-03\/notes$/;

describe('an export to HubSpot', () => {
  test('makes the contact, and a note with all that was typed', async () => {
    const { crm, startDelivery } = await setUp();
    const { tryIt, steps } = startDelivery();

    const remoteId = await tryIt(1);

    const [contact] = crm.contacts.values();
    expect(contact?.properties).toEqual({
      email: 'ada@example.org',
      firstname: 'Ada King',
      lastname: 'Lovelace',
      company: 'Sweets & Sons',
      phone: '+1 555 0100',
    });
    expect(crm.requests.some(({ path }) => path.includes('ada'))).toBe(false);
    expect(remoteId).toBe(contact?.id);
    expect(crm.notes).toMatchObject([
      { contactId: remoteId, properties: { hs_timestamp: '2025-11-03T09:00:01.000Z' } },
    ]);
    expect(crm.notes[0]?.properties['hs_note_body']?.split('<br>')).toEqual([
      '<p>Our factory is &lt;slow&gt;.',
      'Can you &quot;help&quot;?</p><p><b>Name:</b> Ada King Lovelace',
      '<b>Email:</b> Ada@Example.org',
      '<b>Company:</b> Sweets &amp; Sons',
      '<b>Phone:</b> +1 555 0100',
      '<b>Industry:</b> Retail &amp; E-commerce',
      '<b>Campaign source:</b> news&lt;letter&gt;',
      '<b>Referring site:</b> searching.example',
      '<b>First page of the visit:</b> /education',
      '<b>Received:</b> 2025-11-03T09:00:01.000Z',
      '<b>Reference:</b> 0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b</p>',
    ]);
    expect(Object.fromEntries(steps)).toEqual({ contact: remoteId, note: crm.notes[0]?.id });
  });

  test('makes only calls that HubSpot describes for 2026-03', async () => {
    const { crm, startDelivery, testIt } = await setUp();
    await startDelivery({ phone: null }).tryIt(1);
    await startDelivery().tryIt(2);
    await testIt();

    const calls = crm.requests.map(({ method, path }) => `${method} ${path.split('?')[0]?.replace(/\/\d{3,}(?=\/|$)/, '/{id}')}`);
    // HubSpot/HubSpot-public-api-spec-collection, 2026-03; the token's scopes have no dated call.
    expect([...new Set(calls)].sort()).toEqual([
      'GET /crm/objects/2026-03/contacts/{id}/associations/notes',
      'GET /crm/properties/2026-03/contacts',
      'PATCH /crm/objects/2026-03/contacts/{id}',
      'POST /crm/objects/2026-03/contacts',
      'POST /crm/objects/2026-03/contacts/batch/read',
      'POST /crm/objects/2026-03/notes',
      'POST /crm/objects/2026-03/notes/batch/read',
      'POST /oauth/v2/private-apps/get/access-token-info',
    ]);
  });

  test('changes no value of a contact that exists: it fills the empty ones and writes a note', async () => {
    const { crm, addContact, startDelivery } = await setUp();
    const kept = { email: 'ada@example.org', lastname: 'Byron', company: 'Engines', phone: '+44 1' };
    const id = await addContact(kept);

    expect(await startDelivery({ email: 'ADA@example.org' }).tryIt(1)).toBe(id);

    expect([...crm.contacts.values()].map(({ properties }) => properties)).toEqual([
      { ...kept, firstname: 'Ada King' },
    ]);
    const note = crm.notes[0]?.properties['hs_note_body'];
    for (const typed of ['Ada King Lovelace', 'Sweets &amp; Sons', '+1 555 0100', 'factory']) {
      expect(note).toContain(typed);
    }
  });

  test('writes nothing to a contact that has a value everywhere', async () => {
    const { crm, startDelivery } = await setUp();
    await startDelivery().tryIt(1);
    const [before] = [...crm.contacts.values()].map(({ properties }) => ({ ...properties }));

    const changes = { name: 'Mallory', company: 'Other', phone: null, message: null };
    await startDelivery({ ...changes, submission_id: 'second' }).tryIt(1);

    expect([...crm.contacts.values()].map(({ properties }) => properties)).toEqual([before]);
    expect(crm.requests.some(({ method }) => method === 'PATCH')).toBe(false);
    expect(crm.notes).toHaveLength(2);
    expect(crm.notes[1]?.properties['hs_note_body']).not.toContain('factory');
  });

  test('makes one contact of two leads of a new address that leave at once', async () => {
    const { crm, startDelivery } = await setUp();

    const ids = await Promise.all([
      startDelivery({ submission_id: 'first' }).tryIt(1),
      startDelivery({ submission_id: 'second', name: 'Mallory' }).tryIt(1),
    ]);

    expect([...crm.contacts.keys()]).toEqual([ids[0]]);
    expect(ids[1]).toBe(ids[0]);
    expect(crm.notes).toHaveLength(2);
  });

  test('fills the contact that has the address as a further one, which only creating it shows', async () => {
    const { crm, addContact, startDelivery } = await setUp();
    const id = await addContact({ email: 'countess@example.org', phone: '+44 1' });
    const message = `Contact already exists. Existing ID: ${id}`;
    crm.faults.push({ ...respondWith(409, { category: 'CONFLICT', message }), on: onCreate });

    expect(await startDelivery().tryIt(1)).toBe(id);

    expect([...crm.contacts.values()]).toMatchObject([
      { properties: { email: 'countess@example.org', phone: '+44 1', company: 'Sweets & Sons' } },
    ]);
  });

  test('leaves what sales wrote into the contact between two tries', async () => {
    const { crm, call, addContact, startDelivery } = await setUp();
    const id = await addContact({ email: 'ada@example.org' });
    const { tryIt, fail } = startDelivery();
    crm.faults.push({ kind: 'response', status: 500, on: /^PATCH/ });
    await fail(1);
    await call('PATCH', `/crm/objects/2026-03/contacts/${id}`, { properties: { phone: '+44 1' } });

    await tryIt(2);

    expect([...crm.contacts.values()]).toMatchObject([
      { properties: { lastname: 'Lovelace', company: 'Sweets & Sons', phone: '+44 1' } },
    ]);
  });

  test('makes one contact without the address that HubSpot refuses, and the note has it', async () => {
    const { crm, startDelivery } = await setUp();
    const { tryIt, fail } = startDelivery({ email: 'Ada@firma.con' });
    crm.faults.push({ kind: 'response', status: 500, on: onNote });

    await fail(1);
    const contactId = await tryIt(2);

    expect([...crm.contacts.keys()]).toEqual([contactId]);
    expect([...crm.contacts.values()].map(({ properties }) => properties)).toEqual([
      { firstname: 'Ada King', lastname: 'Lovelace', company: 'Sweets & Sons', phone: '+1 555 0100' },
    ]);
    expect(crm.notes).toMatchObject([{ contactId }]);
    expect(crm.notes[0]?.properties['hs_note_body']).toContain('<b>Email:</b> Ada@firma.con');
  });

  test('hands over the longest request a visitor can send', async () => {
    const { crm, startDelivery } = await setUp();
    const names = ['source', 'medium', 'campaign', 'term', 'content'].map((name) => `utm_${name}`);
    const source = Object.fromEntries(
      [...names, 'referrer', 'landing_path'].map((name) => [name, '"'.repeat(500)]),
    );

    await startDelivery({ message: '"'.repeat(5_000), source }).tryIt(1);

    expect(crm.notes).toHaveLength(1);
  });

  test('resumes after the last completed step', async () => {
    const { crm, startDelivery } = await setUp();
    const { tryIt, fail } = startDelivery();
    crm.faults.push({ kind: 'response', status: 500, on: onNote });

    expect(await fail(1)).toMatchObject({ result: 'retry', reason: 'hubspot-500' });
    const contactId = await tryIt(2);
    expect(await tryIt(3)).toBe(contactId);

    expect(crm.contacts.size).toBe(1);
    expect(crm.notes).toHaveLength(1);
  });

  test.each(['cut-after', 'malformed', 'huge-after'] as const)(
    'makes no second contact and no second note when the responses were lost (%s)',
    async (kind) => {
      const { crm, startDelivery } = await setUp();
      const { tryIt, fail } = startDelivery();
      crm.faults.push({ kind, on: onCreate }, { kind, on: onNote });
      const reason = kind === 'malformed' ? 'hubspot-malformed-response' : /^http-/;

      for (const attempt of [1, 2]) {
        expect(await fail(attempt)).toMatchObject({
          result: 'retry',
          isAmbiguous: false,
          reason: expect.stringMatching(reason),
        });
      }
      await tryIt(3);

      expect(crm.contacts.size).toBe(1);
      expect(crm.notes).toHaveLength(1);
    },
  );

  test('finds the note of an attempt whose response was lost', async () => {
    const { crm, startDelivery } = await setUp();
    const { tryIt, failOnce, steps } = startDelivery();
    crm.faults.push({ kind: 'hang-after', on: onNote });

    const failure = await failOnce(1, 'the note to be made', () => crm.notes.length === 1);
    expect(failure).toMatchObject({ result: 'retry', reason: 'http-timed-out' });
    await tryIt(2);

    expect(crm.notes).toHaveLength(1);
    expect(steps.get('note')).toBe(crm.notes[0]?.id);
  });

  test('searches all pages for the note and matches no other', async () => {
    const { crm, startDelivery } = await setUp({ pageSize: 1 });
    await startDelivery({ submission_id: 'first' }).tryIt(1);
    await startDelivery({ submission_id: 'second' }).tryIt(1);
    const { tryIt, fail, steps } = startDelivery();
    crm.faults.push({ kind: 'response', status: 502, on: onNote });

    await fail(1);
    await tryIt(2);
    expect(crm.notes).toHaveLength(3);

    steps.delete('note');
    await tryIt(3);
    expect(crm.notes).toHaveLength(3);
    expect(steps.get('note')).toBe(crm.notes[2]?.id);
  });

  test('reads the newest notes first, and of a long history no more than an attempt has time for', async () => {
    const { crm, addContact, startDelivery } = await setUp();
    await addContact({ email: 'ada@example.org' });
    const ids = Array.from({ length: 2_000 }, (_, index) => String(999_000 + index));
    crm.faults.push({ ...respondWith(200, { results: ids.map((id) => ({ toObjectId: Number(id) })) }), on: /associations\/notes/ });

    await startDelivery().tryIt(2);

    const read = crm.requests
      .filter(({ path }) => path.endsWith('/notes/batch/read'))
      .flatMap(({ body }) => (JSON.parse(body) as { inputs: Array<{ id: string }> }).inputs.map(({ id }) => id));
    expect(read).toEqual(ids.toReversed().slice(0, 500));
    expect(crm.notes).toHaveLength(1);
  });

  test('reads long notes of others while it searches', async () => {
    const { crm, startDelivery } = await setUp();
    const message = 'x'.repeat(60_000);
    for (const id of ['first', 'second']) await startDelivery({ submission_id: id, message }).tryIt(1);

    await startDelivery().tryIt(2);

    expect(crm.notes).toHaveLength(3);
  });
});
