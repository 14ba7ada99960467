import * as v from 'valibot';
import * as type from './setting-types.ts';

type SettingSchema = v.GenericSchema<string, unknown>;

/** Used when the variable is unset or empty: text, as in the environment. */
const withDefault = <Schema extends SettingSchema>(schema: Schema, fallback: string) => ({
  schema,
  fallback,
});

const optional = <Schema extends SettingSchema>(schema: Schema) => ({ schema });

/** May also be given as NAME_FILE, and is never printed. */
const secret = <Schema extends SettingSchema>(schema: Schema) => ({ schema, isSecret: true as const });

/** Every variable this version reads. What each means is in `.env.example`. */
export const settings = {
  NODE_ENV: withDefault(type.text, 'development'),
  PORT: withDefault(type.port, '3000'),
  HOST: withDefault(type.text, '0.0.0.0'),
  PUBLIC_URL: optional(type.origin),
  SITE_NAME: withDefault(type.text, 'Praline'),
  LEGAL_ENTITY: withDefault(type.text, 'Praline'),
  LEGAL_EMAIL: withDefault(type.mailbox, 'legal@example.com'),
  DATABASE_URL: secret(type.url('postgres', 'postgresql')),
  REDIS_URL: secret(type.url('redis', 'rediss')),
  COOKIE_SECRET: secret(type.secretList),
  INSIGHTS_PASSWORD: secret(type.password),
  SMTP_URL: secret(type.url('smtp', 'smtps')),
  MAIL_FROM: withDefault(type.mailbox, 'site@example.com'),
  SALES_EMAIL: withDefault(type.mailboxList, 'sales@example.com'),
  MAIL_DIR: withDefault(type.text, '.data/mail'),
  FOLLOW_UP_AFTER: withDefault(type.duration, '24h'),
  FOLLOW_UP_REMINDER_AFTER: withDefault(type.duration, '20h'),
  CRM_PROVIDER: withDefault(
    v.picklist(['file', 'none'], 'must be file or none: other providers come with a later version'),
    'file',
  ),
  CRM_DIR: withDefault(type.text, '.data/crm'),
  TIME_ZONE: withDefault(type.timeZone, 'UTC'),
  TRUST_PROXY: optional(type.addressList),
  RATE_LIMIT_CONTACT: withDefault(type.rate, '10/10m'),
  LOG_LEVEL: withDefault(
    v.picklist(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be one of trace, debug, info, warn, error, fatal, silent',
    ),
    'info',
  ),
} as const;

export type SettingName = keyof typeof settings;

/**
 * Names that belong to the product and that this version doesn't read yet: accepted, so that
 * one environment file serves all versions, and reported at the start, so that nobody relies
 * on them.
 */
export const laterSettingNames: readonly string[] = [
  'CRM_WEBHOOK_URL',
  'CRM_WEBHOOK_SECRET',
  'HUBSPOT_TOKEN',
  'HUBSPOT_BASE_URL',
  'SALESFORCE_LOGIN_URL',
  'SALESFORCE_CLIENT_ID',
  'SALESFORCE_CLIENT_SECRET',
  'SALESFORCE_EXTERNAL_ID_FIELD',
  'PIPEDRIVE_BASE_URL',
  'PIPEDRIVE_TOKEN',
  'ODOO_URL',
  'ODOO_DATABASE',
  'ODOO_API_KEY',
  'DIGEST_AT',
  'OUTBOUND_ALLOW',
  'RETENTION_MONTHS',
  'METRICS_PORT',
];

/** Variables beginning so are ours alone: an unknown one is a spelling mistake. */
export const ownPrefixes: readonly string[] = [
  'FOLLOW_UP_',
  'CRM_',
  'HUBSPOT_',
  'SALESFORCE_',
  'PIPEDRIVE_',
  'ODOO_',
  'INSIGHTS_',
  'RATE_LIMIT_',
  'RETENTION_',
];
