import { estimateBusyworkCost, exampleBusywork } from './busywork-cost.ts';
import { EstimateOutcome, TypicalRange } from './estimate-result.tsx';
import styles from './estimate.module.css';
import { makeVisitorFormat } from './visitor-format.ts';

/**
 * The example shown without scripts: one calculation, and the results for other team sizes. All data is inside the
 * component to keep it out of the browser's chunks.
 */
export function WorkedExample() {
  const format = makeVisitorFormat('en-US');
  const { writeAmount } = format;
  const { people, hoursPerWeek, hourlyCost } = exampleBusywork;

  return (
    <div className={styles.estimate}>
      <EstimateOutcome
        busywork={exampleBusywork}
        format={format}
        summary={
          <p className={styles.result}>
            For example, assume that {people} people spend {hoursPerWeek} hours a week each on such work, and that an
            hour costs {writeAmount(hourlyCost)} with benefits and taxes.
          </p>
        }
      />
      <table className={styles.table}>
        <caption>With more or fewer people</caption>
        <thead>
          <tr>
            <th scope="col">People</th>
            <th scope="col">Costs a year</th>
            <th scope="col">
              <TypicalRange /> of it
            </th>
          </tr>
        </thead>
        <tbody>
          {[5, 25, 50, 100].map((size) => {
            const { yearlyCost, savings } = estimateBusyworkCost({ ...exampleBusywork, people: size });

            return (
              <tr key={size}>
                <th scope="row">{size}</th>
                <td>{writeAmount(yearlyCost)}</td>
                <td>
                  {writeAmount(savings.least)} to {writeAmount(savings.most)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
