import { deliveryKinds, type DeliveryKind } from '../../shared/deliveries/delivery.ts';
import type { Config } from '../../shared/node/config/config.ts';
import { countOpenSubmissions } from '../../shared/node/contact/open-submissions.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { inspectDatabase } from '../../shared/node/database/inspect-database.ts';
import { LATE_AFTER } from '../../shared/node/deliveries/sweep-queries.ts';
import { readFilesVersion } from '../../shared/node/monitoring/image.ts';
import { readInstallation, type Installation } from '../../shared/node/monitoring/read-installation.ts';
import { createSiteStateReader, type SiteState } from '../../shared/node/monitoring/read-site-state.ts';
import { inspectRedis } from '../../shared/node/redis/inspect-redis.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';

/** What is owed to visitors and sales, what is late, and what the site stands on. */
export interface Status {
  readonly requests: { readonly open: number; readonly overdue: number; readonly held: number };
  readonly deliveries: {
    /** Pending and running ones that a worker gets to, by kind. */
    readonly owed: ReadonlyMap<DeliveryKind, number>;
    /** Milliseconds since the oldest was due, of the kinds of which one is late. */
    readonly late: ReadonlyMap<DeliveryKind, number>;
    readonly dead: number;
    /** Pending ones without a provider. */
    readonly waiting: number;
    readonly paused: readonly DeliveryKind[];
    readonly isHeld: boolean;
  };
  /** Connected to PostgreSQL right now. */
  readonly workers: number;
  readonly installation: Installation;
  readonly versions: {
    readonly site: string;
    readonly node: string;
    readonly postgres: string;
    /** Null where there is no Redis, or it doesn't answer. */
    readonly redis: string | null;
  };
  /** Whether the Redis that REDIS_URL names doesn't answer. */
  readonly isRedisAway: boolean;
}

function summarizeDeliveries(state: SiteState): Status['deliveries'] {
  const { deliveries, oldestDueMs, pausedKinds, servedKinds, isHeld } = state;
  const count = (isCounted: (group: SiteState['deliveries'][number]) => boolean) =>
    deliveries.filter(isCounted).reduce((sum, group) => sum + group.count, 0);
  const isUnfinished = (group: SiteState['deliveries'][number]) => ['pending', 'leased'].includes(group.state);

  return {
    owed: new Map(
      deliveryKinds
        .filter((kind) => servedKinds.has(kind))
        .map((kind) => [kind, count((group) => group.kind === kind && isUnfinished(group))]),
    ),
    late: new Map([...oldestDueMs].filter(([, ms]) => ms > LATE_AFTER)),
    dead: count(({ state: its }) => its === 'dead'),
    waiting: count((group) => !servedKinds.has(group.kind) && isUnfinished(group)),
    paused: [...pausedKinds],
    isHeld,
  };
}

/** @throws when PostgreSQL can't be queried */
export async function readStatus(config: Config, database: Database): Promise<Status> {
  const promise = createResponsePromise(config.followUp);
  const { redisUrl } = config;
  const [state, requests, server, redis, installation] = await Promise.all([
    createSiteStateReader({ database, promise })(),
    countOpenSubmissions(database, promise),
    inspectDatabase(database),
    redisUrl === undefined ? undefined : inspectRedis(redisUrl).catch(() => undefined),
    readInstallation(config, database),
  ]);

  return {
    requests,
    deliveries: summarizeDeliveries(state),
    workers: server.workers,
    installation,
    versions: {
      site: installation.image?.version ?? (await readFilesVersion()),
      node: process.versions.node,
      postgres: server.version,
      redis: redis?.version ?? null,
    },
    isRedisAway: redisUrl !== undefined && redis === undefined,
  };
}
