import type * as v from 'valibot';
import * as type from './setting-types.ts';
import * as time from './time-types.ts';

/** Each CRM provider's settings, by the provider's own property names. */
const crmSettings = {
  file: { directory: 'CRM_DIR' },
  webhook: { url: 'CRM_WEBHOOK_URL', secret: 'CRM_WEBHOOK_SECRET' },
  hubspot: { baseUrl: 'HUBSPOT_BASE_URL', token: 'HUBSPOT_TOKEN' },
  salesforce: {
    loginUrl: 'SALESFORCE_LOGIN_URL',
    clientId: 'SALESFORCE_CLIENT_ID',
    clientSecret: 'SALESFORCE_CLIENT_SECRET',
    externalIdField: 'SALESFORCE_EXTERNAL_ID_FIELD',
  },
  pipedrive: { baseUrl: 'PIPEDRIVE_BASE_URL', token: 'PIPEDRIVE_TOKEN' },
  odoo: { url: 'ODOO_URL', database: 'ODOO_DATABASE', login: 'ODOO_LOGIN', apiKey: 'ODOO_API_KEY' },
  espocrm: { url: 'ESPOCRM_URL', apiKey: 'ESPOCRM_API_KEY' },
  twenty: { url: 'TWENTY_URL', apiKey: 'TWENTY_API_KEY' },
  none: {},
} as const;

type CrmProviderName = keyof typeof crmSettings;
const crmProviders = Object.keys(crmSettings) as CrmProviderName[];

/** Odoo's host name may imply the database. The login is only for JSON-RPC, the API before version 19. */
type OptionalCrmSetting = 'ODOO_DATABASE' | 'ODOO_LOGIN';
const optionalCrmSettings: readonly SettingName[] = ['ODOO_DATABASE', 'ODOO_LOGIN'] satisfies OptionalCrmSetting[];

/** Values of ALERT_FORMAT and CHAT_FORMAT. If unset, the address's host determines the format. */
export const chatFormats = ['slack', 'teams', 'googlechat', 'discord', 'ntfy', 'json'] as const;
export type ChatFormat = (typeof chatFormats)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

type SettingSchema = v.GenericSchema<string, unknown>;

/** Returns a setting with a default. @param fallback text used if the variable is unset or empty */
const withDefault = <Schema extends SettingSchema>(schema: Schema, fallback: string) => ({
  schema,
  fallback,
});

const optional = <Schema extends SettingSchema>(schema: Schema) => ({ schema });

/** Returns a secret. It can also be in the file that NAME_FILE names or in SECRETS_DIR, and it is never printed. */
const secret = <Schema extends SettingSchema>(schema: Schema) => ({ schema, isSecret: true as const });

/** Returns a secret that web uses. Web gets no others, because it is exposed to visitors. */
const webSecret = <Schema extends SettingSchema>(schema: Schema) => ({
  ...secret(schema),
  isForWeb: true as const,
});

/** Returns a secret for the operator's tool and the backups. Neither web nor the worker gets it. */
const operatorSecret = <Schema extends SettingSchema>(schema: Schema) => ({
  ...secret(schema),
  isForOperator: true as const,
});

export const SAMPLE_NAME = 'Praline';

/** Every variable that this version reads. `.env.example` explains them. */
export const settings = {
  NODE_ENV: withDefault(type.text, 'development'),
  PORT: withDefault(type.port, '3000'),
  HOST: withDefault(type.host, '0.0.0.0'),
  BIND_ADDRESS: optional(type.address),
  PUBLIC_URL: optional(type.origin),
  PUBLIC_ALIASES: optional(type.hostNameList),
  HSTS_SUBDOMAINS: withDefault(type.flag, 'false'),
  SITE_NAME: withDefault(type.text, SAMPLE_NAME),
  LEGAL_ENTITY: withDefault(type.text, SAMPLE_NAME),
  LEGAL_EMAIL: withDefault(type.mailbox, 'legal@example.com'),
  SECRETS_DIR: optional(type.text),
  DATABASE_URL: webSecret(type.serverUrl('postgres', 'postgresql')),
  DATABASE_ADMIN_URL: secret(type.serverUrl('postgres', 'postgresql')),
  DATABASE_APP_URL: secret(type.serverUrl('postgres', 'postgresql')),
  DATABASE_WEB_URL: secret(type.serverUrl('postgres', 'postgresql')),
  REDIS_URL: webSecret(type.serverUrl('redis', 'rediss')),
  COOKIE_SECRET: webSecret(type.secretList),
  INSIGHTS_PASSWORD: webSecret(type.password),
  SMTP_URL: secret(type.smtpUrl),
  MAIL_FROM: withDefault(type.mailbox, 'site@example.com'),
  SALES_EMAIL: withDefault(type.mailboxList, 'sales@example.com'),
  SALES_ASSIGNMENT: withDefault(type.oneOf('all', 'rotate'), 'all'),
  MAIL_RATE: optional(type.rate),
  MAIL_DIR: withDefault(type.text, '.data/mail'),
  ALERT_EMAIL: optional(type.mailboxList),
  ALERT_URL: secret(type.calledUrl),
  ALERT_FORMAT: optional(type.oneOf(...chatFormats)),
  HEARTBEAT_URL: secret(type.calledUrl),
  CHAT_URL: secret(type.calledUrl),
  CHAT_FORMAT: optional(type.oneOf(...chatFormats)),
  FOLLOW_UP_AFTER: withDefault(type.duration, '24h'),
  FOLLOW_UP_REMINDER_AFTER: withDefault(type.duration, '20h'),
  BUSINESS_HOURS: optional(time.businessHours),
  HOLIDAYS_FILE: optional(type.text),
  ACKNOWLEDGE: withDefault(type.onOff, 'on'),
  BOOKING_URL: optional(type.pageUrl),
  CRM_PROVIDER: withDefault(type.oneOf(...crmProviders), 'file'),
  CRM_DIR: withDefault(type.text, '.data/crm'),
  CRM_WEBHOOK_URL: secret(type.calledUrl),
  CRM_WEBHOOK_SECRET: secret(type.webhookSecret),
  HUBSPOT_TOKEN: secret(type.text),
  HUBSPOT_BASE_URL: withDefault(type.origin, 'https://api.hubapi.com'),
  SALESFORCE_LOGIN_URL: optional(type.origin),
  SALESFORCE_CLIENT_ID: secret(type.text),
  SALESFORCE_CLIENT_SECRET: secret(type.text),
  SALESFORCE_EXTERNAL_ID_FIELD: withDefault(type.fieldName, 'WebLeadId__c'),
  PIPEDRIVE_BASE_URL: withDefault(type.origin, 'https://api.pipedrive.com'),
  PIPEDRIVE_TOKEN: secret(type.text),
  ODOO_URL: optional(type.origin),
  ODOO_DATABASE: optional(type.text),
  ODOO_LOGIN: optional(type.text),
  ODOO_API_KEY: secret(type.text),
  ESPOCRM_URL: optional(type.baseUrl),
  ESPOCRM_API_KEY: secret(type.text),
  TWENTY_URL: optional(type.origin),
  TWENTY_API_KEY: secret(type.text),
  OUTBOUND_ALLOW: optional(type.destinationList),
  TIME_ZONE: withDefault(time.timeZone, 'UTC'),
  REPORT_AT: optional(time.timeOfWeek),
  RETENTION_MONTHS: withDefault(type.months, '24'),
  ERASURES_DIR: withDefault(type.text, '.data/erasures'),
  BACKUP_DIR: withDefault(type.text, '.data/backups'),
  BACKUP_KEEP: withDefault(type.count, '14'),
  BACKUP_AT: withDefault(time.timesOfDay, '03:00'),
  BACKUP_REPOSITORY: operatorSecret(type.backupRepository),
  BACKUP_REPOSITORY_PASSWORD: operatorSecret(type.password),
  TRUST_PROXY: optional(type.addressList),
  RATE_LIMIT_CONTACT: withDefault(type.rate, '10/10m'),
  METRICS_PORT: optional(type.port),
  METRICS_HOST: withDefault(type.host, '127.0.0.1'),
  LOG_LEVEL: withDefault(type.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'info'),
} as const;

export type SettingName = keyof typeof settings;

type Output<Name extends SettingName> = v.InferOutput<(typeof settings)[Name]['schema']>;

export type SettingValues = {
  [Name in SettingName]: (typeof settings)[Name] extends { fallback: string }
    ? Output<Name>
    : Output<Name> | undefined;
};

/** Prefixes that only this site uses. An unknown variable that has one must be misspelled. */
export const settingPrefixes: readonly string[] = [
  'FOLLOW_UP_',
  'BUSINESS_',
  'CRM_',
  'HUBSPOT_',
  'SALESFORCE_',
  'PIPEDRIVE_',
  'ODOO_',
  'ESPOCRM_',
  'TWENTY_',
  'INSIGHTS_',
  'RATE_LIMIT_',
  'RETENTION_',
  'ALERT_',
  'CHAT_',
  'SALES_',
  'BOOKING_',
];

const listCrmSettings = (provider: CrmProviderName) => Object.entries<SettingName>(crmSettings[provider]);

/** Returns a sentence for each missing setting of the chosen provider. */
export function listMissingCrmSettings(values: Partial<SettingValues>): string[] {
  const { CRM_PROVIDER: provider, ODOO_LOGIN: login, ODOO_DATABASE: database } = values;
  // An invalid CRM_PROVIDER is reported separately.
  if (provider === undefined) return [];
  const missing = listCrmSettings(provider)
    .map(([, name]) => name)
    .filter((name) => values[name] === undefined && !optionalCrmSettings.includes(name));

  return [
    ...missing.map((name) => `${name} is required when CRM_PROVIDER is ${provider}`),
    // Every JSON-RPC call names the database.
    ...(provider === 'odoo' && login !== undefined && database === undefined ? ['ODOO_DATABASE is required with ODOO_LOGIN'] : []),
  ];
}

type CrmSettingsByProvider = {
  readonly [Provider in CrmProviderName]: { readonly provider: Provider } & {
    readonly [Key in keyof (typeof crmSettings)[Provider]]: (typeof crmSettings)[Provider][Key] extends OptionalCrmSetting
      ? string | undefined
      : string;
  };
};
export type CrmSettingsOf<Provider extends CrmProviderName> = CrmSettingsByProvider[Provider];
export type CrmSettings = CrmSettingsOf<CrmProviderName>;

/** Returns the chosen provider with its settings. `listMissingCrmSettings` has checked the required ones. */
export function makeCrmSettings(values: SettingValues): CrmSettings {
  const { CRM_PROVIDER: provider } = values;
  const entries = listCrmSettings(provider).map(([key, name]) => [key, values[name]]);

  return { provider, ...Object.fromEntries(entries) } as CrmSettings;
}
