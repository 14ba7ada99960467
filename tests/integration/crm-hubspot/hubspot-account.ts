import { onTestFinished } from 'vitest';
import type { CrmRecord } from '../../../shared/node/crm/crm-provider.ts';
import { createHubspotProvider } from '../../../shared/node/crm/hubspot.ts';
import { callCrm } from '../../support/crm/call-crm.ts';
import { makeCrmRecord, makeDelivery, openClient } from '../../support/crm/crm-export.ts';
import { startFakeHubspot, type FakeHubspotOptions } from '../../support/crm/fake-hubspot.ts';

export const onCreate = /POST .*\/objects\/2026-03\/contacts$/;

interface Setting extends FakeHubspotOptions {
  /** Instead of the account's own. */
  readonly token?: string;
  readonly path?: string;
}

/** A fake account and the provider that exports to it; both are closed when the test ends. */
export async function setUp({ token, path = '', ...options }: Setting = {}) {
  const crm = await startFakeHubspot(options);
  onTestFinished(() => crm.close());
  const settings = { baseUrl: crm.url + path, token: token ?? crm.token };
  const provider = createHubspotProvider({ provider: 'hubspot', ...settings }, openClient());

  const call = async (method: string, target: string, body: object) => {
    const headers = { authorization: `Bearer ${crm.token}` };
    const response = await callCrm(method, crm.url + target, headers, body);

    return response.body as { readonly id: string };
  };

  return {
    crm,
    /** As sales does. */
    call,
    addContact: async (properties: Record<string, string>) =>
      (await call('POST', '/crm/objects/2026-03/contacts', { properties, associations: [] })).id,
    startDelivery: (changes: Partial<CrmRecord> = {}) =>
      makeDelivery(provider, makeCrmRecord(changes)),
    testIt: () => provider.test(new AbortController().signal),
  };
}
