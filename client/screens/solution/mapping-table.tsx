import type { MappingRow } from '../../../shared/content/solution-schema.ts';
import styles from './mapping-table.module.css';

/**
 * A table of tasks and their solutions. The explicit roles are needed because some browsers drop table semantics in a
 * grid layout.
 */
export function MappingTable({ rows }: { rows: readonly MappingRow[] }) {
  return (
    <table className={styles.table} role="table">
      <thead className={styles.head} role="rowgroup">
        <tr className={styles.row} role="row">
          <th scope="col" role="columnheader">
            Today, by hand
          </th>
          <th className={styles.takenOver} scope="col" role="columnheader">
            What takes over
          </th>
          <th className={styles.givesBack} scope="col" role="columnheader">
            What the team gets back
          </th>
        </tr>
      </thead>
      <tbody className={styles.body} role="rowgroup">
        {rows.map(({ task, takenOverBy, givesBack }) => (
          <tr key={task} className={styles.row} role="row">
            <th className={styles.task} scope="row" role="rowheader">
              {task}
            </th>
            <td className={`${styles.cell} ${styles.takenOver}`} role="cell">
              {takenOverBy}
            </td>
            <td className={`${styles.cell} ${styles.givesBack}`} role="cell">
              {givesBack}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
