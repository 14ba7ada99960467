import type { SettingName } from './settings.ts';
import type { SettingValues } from './read-settings.ts';

type CrmProviderName = SettingValues['CRM_PROVIDER'];

/** The settings each provider requires. */
const required: Readonly<Record<CrmProviderName, readonly SettingName[]>> = {
  file: [],
  webhook: ['CRM_WEBHOOK_URL', 'CRM_WEBHOOK_SECRET'],
  hubspot: ['HUBSPOT_TOKEN'],
  salesforce: ['SALESFORCE_LOGIN_URL', 'SALESFORCE_CLIENT_ID', 'SALESFORCE_CLIENT_SECRET'],
  pipedrive: ['PIPEDRIVE_TOKEN'],
  odoo: ['ODOO_URL', 'ODOO_API_KEY'],
  espocrm: ['ESPOCRM_URL', 'ESPOCRM_API_KEY'],
  twenty: ['TWENTY_URL', 'TWENTY_API_KEY'],
  none: [],
};

/** The settings of the chosen provider that are not given, as sentences. */
export function listMissingCrmSettings(values: Partial<SettingValues>): string[] {
  // Undefined when CRM_PROVIDER names no provider, which is reported as such.
  if (values.CRM_PROVIDER === undefined) return [];

  const isRpcWithoutDatabase =
    values.CRM_PROVIDER === 'odoo' && values.ODOO_LOGIN !== undefined && values.ODOO_DATABASE === undefined;

  return [
    ...required[values.CRM_PROVIDER]
      .filter((name) => values[name] === undefined)
      .map((name) => `${name} is required when CRM_PROVIDER is ${values.CRM_PROVIDER}`),
    // The JSON-RPC API names it in every call.
    ...(isRpcWithoutDatabase ? ['ODOO_DATABASE is required with ODOO_LOGIN'] : []),
  ];
}

/** The chosen provider with its settings, whose required ones have been checked. */
export function makeCrmSettings(values: SettingValues) {
  switch (values.CRM_PROVIDER) {
    case 'none':
      return { provider: 'none' } as const;
    case 'file':
      return { provider: 'file', directory: values.CRM_DIR } as const;
    case 'webhook':
      return {
        provider: 'webhook',
        url: values.CRM_WEBHOOK_URL ?? '',
        secret: values.CRM_WEBHOOK_SECRET ?? '',
      } as const;
    case 'hubspot':
      return {
        provider: 'hubspot',
        baseUrl: values.HUBSPOT_BASE_URL,
        token: values.HUBSPOT_TOKEN ?? '',
      } as const;
    case 'salesforce':
      return {
        provider: 'salesforce',
        loginUrl: values.SALESFORCE_LOGIN_URL ?? '',
        clientId: values.SALESFORCE_CLIENT_ID ?? '',
        clientSecret: values.SALESFORCE_CLIENT_SECRET ?? '',
        externalIdField: values.SALESFORCE_EXTERNAL_ID_FIELD,
      } as const;
    case 'pipedrive':
      return {
        provider: 'pipedrive',
        baseUrl: values.PIPEDRIVE_BASE_URL,
        token: values.PIPEDRIVE_TOKEN ?? '',
      } as const;
    case 'odoo':
      return {
        provider: 'odoo',
        url: values.ODOO_URL ?? '',
        /** Undefined: the host decides. */
        database: values.ODOO_DATABASE,
        /** Given for JSON-RPC, the API before 19. */
        login: values.ODOO_LOGIN,
        apiKey: values.ODOO_API_KEY ?? '',
      } as const;
    case 'espocrm':
      return {
        provider: 'espocrm',
        url: values.ESPOCRM_URL ?? '',
        apiKey: values.ESPOCRM_API_KEY ?? '',
      } as const;
    case 'twenty':
      return {
        provider: 'twenty',
        url: values.TWENTY_URL ?? '',
        apiKey: values.TWENTY_API_KEY ?? '',
      } as const;
  }
}

export type CrmSettings = ReturnType<typeof makeCrmSettings>;
export type CrmSettingsOf<Provider extends CrmProviderName> = Extract<
  CrmSettings,
  { readonly provider: Provider }
>;
