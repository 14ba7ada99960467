import { onTestFinished } from 'vitest';
import type { CrmRecord } from '../../../shared/node/crm/crm-provider.ts';
import { createSalesforceProvider } from '../../../shared/node/crm/salesforce.ts';
import { makeCrmRecord, makeDelivery, openClient } from '../../support/crm/crm-export.ts';
import { startFakeSalesforce, type FakeSalesforceOptions } from '../../support/crm/fake-salesforce.ts';

export const onLogin = /oauth2\/token/;
export const onUpsert = /PATCH/;

interface Setting extends FakeSalesforceOptions {
  /** Instead of the organization's own. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly path?: string;
  /** The setting; the organization's field has the option's name. */
  readonly keyField?: string;
}

/** A fake organization and the provider that exports to it; both are closed when the test ends. */
export async function setUp(setting: Setting = {}) {
  const { clientId, clientSecret, path = '', keyField = 'WebLeadId__c', ...options } = setting;
  const crm = await startFakeSalesforce(options);
  onTestFinished(() => crm.close());
  const provider = createSalesforceProvider(
    {
      provider: 'salesforce',
      loginUrl: crm.url + path,
      clientId: clientId ?? crm.clientId,
      clientSecret: clientSecret ?? crm.clientSecret,
      externalIdField: keyField,
    },
    openClient(),
  );

  return {
    crm,
    countLogins: () => crm.requests.filter((request) => onLogin.test(request.path)).length,
    startDelivery: (changes: Partial<CrmRecord> = {}) =>
      makeDelivery(provider, makeCrmRecord(changes)),
    testIt: () => provider.test(new AbortController().signal),
  };
}
