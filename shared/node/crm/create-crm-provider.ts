import type { Config } from '../config/config.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { CrmProvider } from './crm-provider.ts';
import { createFileProvider } from './file-provider.ts';
import { createHubspotProvider } from './hubspot/hubspot-provider.ts';
import { createOdooProvider } from './odoo/odoo-provider.ts';
import { createPipedriveProvider } from './pipedrive/pipedrive-provider.ts';
import { createSalesforceProvider } from './salesforce/salesforce-provider.ts';
import { createWebhookProvider } from './webhook-provider.ts';

/**
 * The configured CRM; undefined when exporting is switched off.
 *
 * How a CRM is added:
 * 1. its name and settings in `config/crm-settings.ts` (types and help in `config/settings.ts`), and in
 *    `.env.example`;
 * 2. a folder here with three files: `<crm>-api.ts` makes authenticated calls by the outbound client and
 *    turns refusals into a DeliveryError, `<crm>-provider.ts` maps the fields (`lead-fields.ts`) and exports
 *    one lead so that a repeat adds nothing, `<crm>-checks.ts` is what `ops crm test` runs;
 * 3. a case below;
 * 4. a fake of its API in `tests/support/crm/`, and the tests every CRM has in
 *    `tests/integration/crm-<crm>.test.ts`.
 */
export function createCrmProvider(
  crm: Config['crm'],
  client: OutboundClient,
): CrmProvider | undefined {
  switch (crm.provider) {
    case 'file':
      return createFileProvider(crm.directory);
    case 'webhook':
      return createWebhookProvider(crm, client);
    case 'hubspot':
      return createHubspotProvider(crm, client);
    case 'salesforce':
      return createSalesforceProvider(crm, client);
    case 'pipedrive':
      return createPipedriveProvider(crm, client);
    case 'odoo':
      return createOdooProvider(crm, client);
    case 'none':
      return undefined;
  }
}
