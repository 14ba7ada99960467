import type { CrmSettingsOf } from '../../config/crm-settings.ts';
import type { OutboundClient } from '../../outbound/outbound-client.ts';
import type { CrmProvider } from '../crm-provider.ts';
import { mapFields } from '../field-mapping.ts';
import { connectSalesforce } from './salesforce-api.ts';
import { testSalesforce } from './salesforce-checks.ts';
import { salesforceLeadFields } from './salesforce-fields.ts';
import { upsertLead } from './salesforce-leads.ts';

/** Makes every submission a lead whose external id is the submission's, so a repeat updates it. */
export function createSalesforceProvider(
  settings: CrmSettingsOf<'salesforce'>,
  client: OutboundClient,
): CrmProvider {
  const call = connectSalesforce(settings, client);

  return {
    exportRecord: (record, { signal }) => {
      const lead = {
        keyField: settings.externalIdField,
        key: record.submission_id,
        fields: mapFields(record, salesforceLeadFields),
      };

      return upsertLead(call, lead, signal);
    },
    test: (signal) => testSalesforce(settings, call, signal),
  };
}
