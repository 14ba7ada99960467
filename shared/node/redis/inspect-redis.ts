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

/** Reads a Redis server's configuration within seconds. Uses INFO, which even managed servers allow. */
export async function inspectRedis(url: string) {
  const connection = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3 * Second,
    commandTimeout: 3 * Second,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: Error | undefined;
  // Keep the first error, because later ones only report a closed connection.
  connection.on('error', (error) => (reason ??= error));

  try {
    await connection.connect();
    const fields = readFields(await connection.info());
    const isOk = (name: string) => (fields.get(name) ?? 'ok') === 'ok';

    return {
      version: fields.get('redis_version') ?? 'unknown',
      /** Only `noeviction` preserves jobs when the memory is full. */
      evictionPolicy: fields.get('maxmemory_policy') ?? 'unknown',
      isAppendOnly: fields.get('aof_enabled') === '1',
      /** Whether it is a replica, which accepts no jobs. */
      isReplica: fields.get('role') === 'slave',
      /** Whether the last append-only file write and the last snapshot succeeded. */
      isPersisting: isOk('aof_last_write_status') && isOk('rdb_last_bgsave_status'),
    };
  } catch (error) {
    throw reason ?? error;
  } finally {
    connection.disconnect();
  }
}
