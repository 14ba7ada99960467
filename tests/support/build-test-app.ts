import { createWeb } from '../../server/start-web.ts';
import { loadWebConfig } from '../../shared/node/config/config.ts';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { createMigratedDatabase } from './database.ts';
import { createMemoryLogger } from './memory-logger.ts';
import { loadFrontEnd, neverOverloaded } from './web-replacements.ts';
import type { Environment } from './site-process.ts';
import type { RequestTarget, TestRequest } from './test-site.ts';

/** The whole web application with the built pages and a real database, without a process or a port. */
export interface TestApp extends RequestTarget {
  /** PUBLIC_URL. */
  readonly origin: string;
  readonly databaseUrl: string;
  readonly database: Database;
  /** Every log line so far. */
  readonly output: () => string;
  readonly close: () => Promise<void>;
}

/** Statuses whose responses have no body (Fetch standard). */
const NULL_BODY_STATUSES: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Builds the application from settings, as the web process does.
 * @param settings by default, DATABASE_URL is a new migrated database
 */
export async function buildTestApp(settings: Environment = {}): Promise<TestApp> {
  const databaseUrl = settings['DATABASE_URL'] ?? (await createMigratedDatabase());
  const config = loadWebConfig({ ...settings, DATABASE_URL: databaseUrl });
  const log = createMemoryLogger('web', config.logLevel);
  const { app, onClose } = await createWeb(config, log.logger, await loadFrontEnd(), neverOverloaded);
  const database = createDatabase(databaseUrl, 'test');

  return {
    origin: config.site.publicUrl,
    databaseUrl,
    database,
    fetch: async (path, { client, ...init }: TestRequest = {}) => {
      const request = new Request(new URL(path, config.site.publicUrl), init);
      const response = await app.inject({
        method: request.method as 'GET',
        url: request.url,
        headers: Object.fromEntries(request.headers),
        ...(request.body === null ? {} : { payload: Buffer.from(await request.arrayBuffer()) }),
        ...(client === undefined ? {} : { remoteAddress: client }),
      });
      const { statusCode: status } = response;
      const headers = Object.entries(response.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((each): [string, string] => [name, String(each)]),
      );

      return new Response(NULL_BODY_STATUSES.has(status) ? null : new Uint8Array(response.rawPayload), {
        status,
        headers,
      });
    },
    output: log.read,
    close: async () => {
      for (const step of onClose) await step();
      await database.destroy();
    },
  };
}
