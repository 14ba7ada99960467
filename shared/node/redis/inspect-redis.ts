import { Redis } from 'ioredis';
import { Second } from '../../time.ts';

export type RedisState = Awaited<ReturnType<typeof inspectRedis>>;

function readFields(info: string): ReadonlyMap<string, string> {
  return new Map(
    info
      .split('\r\n')
      .filter((line) => line.includes(':'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
}

/** Asks a Redis how it is set up, within seconds, by INFO, which managed ones allow too. */
export async function inspectRedis(url: string) {
  const connection = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3 * Second,
    commandTimeout: 3 * Second,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  // The first error is the reason; what follows only says that the connection is closed.
  connection.on('error', (error) => (reason ??= error));

  try {
    await connection.connect();
    const fields = readFields(await connection.info());
    const isOk = (name: string) => (fields.get(name) ?? 'ok') === 'ok';

    return {
      version: fields.get('redis_version') ?? 'unknown',
      /** What it does when its memory is full; `noeviction` alone keeps jobs. */
      evictionPolicy: fields.get('maxmemory_policy') ?? 'unknown',
      isAppendOnly: fields.get('aof_enabled') === '1',
      /** A replica takes no jobs. */
      isReplica: fields.get('role') === 'slave',
      /** Whether the last write of the append-only file and the last snapshot went well. */
      isPersisting: isOk('aof_last_write_status') && isOk('rdb_last_bgsave_status'),
    };
  } catch (error) {
    throw reason ?? error;
  } finally {
    connection.disconnect();
  }
}
