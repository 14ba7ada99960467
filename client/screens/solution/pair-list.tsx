import type { ProblemSolutionPair } from '../../../shared/content/solution-schema.ts';
import { Accordion } from '../../components/accordion.tsx';
import { ContentIcon } from '../../components/content-icon.tsx';
import styles from './pair-list.module.css';

/** Expandable problems with their solutions. The first one is open. */
export function PairList({ pairs }: { pairs: readonly ProblemSolutionPair[] }) {
  return (
    <Accordion
      items={pairs.map(({ problem, solution }) => ({
        title: problem.title,
        mark: <ContentIcon name={problem.icon} />,
        content: (
          <>
            <p>{problem.text}</p>
            <div className={styles.solution}>
              <ContentIcon className={styles.icon} name={solution.icon} />
              <div>
                <p className={styles.title}>{solution.title}</p>
                <p>{solution.text}</p>
              </div>
            </div>
          </>
        ),
      }))}
    />
  );
}
