import { readImageEnvironment } from './image-environment.ts';
import type { Environment } from './pinned-process.ts';

/** Pages come from memory: nothing is asked of this database. */
export const NO_DATABASE = 'postgres://127.0.0.1:1/none';

/**
 * Settings of a site as in production, with no server behind them: whoever measures one gives its
 * address. What the image sets is set.
 */
export const productionSettings: Environment = {
  ...readImageEnvironment(),
  PUBLIC_URL: 'http://localhost:3000',
  DATABASE_URL: NO_DATABASE,
  COOKIE_SECRET: 'a secret for benchmarks that everybody may know',
  SALES_EMAIL: 'sales@example.com',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'site@example.com',
};
