import { Finding, Sheet, Vignette } from './vignette.tsx';
import styles from './vignette.module.css';

/** Whether each customer orders cartons, labels and tape every month. Four of the five others buy all three. */
const customers = [
  { name: 'Dairy', staff: 140, buys: [true, true, true] },
  { name: 'Coffee roaster', staff: 85, buys: [true, true, true] },
  { name: 'Bakery', staff: 90, buys: [true, true, false], isFound: true },
  { name: 'Sauce maker', staff: 110, buys: [true, true, true] },
  { name: 'Brewery', staff: 120, buys: [true, false, true] },
  { name: 'Snack maker', staff: 95, buys: [true, true, true] },
];

function Customers() {
  return (
    <Sheet place="first" title="Orders each month" note="food makers of 80 to 150 people">
      <div className={`${styles.row} ${styles.customer} ${styles.muted}`}>
        <span>Customer</span>
        <span>Cartons</span>
        <span>Labels</span>
        <span>Tape</span>
      </div>
      {customers.map(({ name, staff, buys, isFound }) => (
        <div
          key={name}
          className={`${styles.row} ${styles.customer} ${isFound ? styles.stroke : styles.quiet}`}
        >
          <span>
            {name}
            <span className={styles.wideOnly}>, {staff} people</span>
          </span>
          {buys.map((isBought, index) => (
            <span key={index} className={isBought ? styles.bought : isFound ? styles.missing : styles.none} />
          ))}
        </div>
      ))}
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.crossSellingAi}
      label="In a table of similar customers one row lights up: the bakery buys cartons and labels every month but never tape, and the account manager gets a note with the offer, the reason, and an opening line."
    >
      <Customers />
      <Sheet place="right" title="Call the bakery" note="Monday’s list, no. 1">
        <Finding beat={3} className={styles.wash}>
          <b>Offer: packing tape</b>
        </Finding>
        <p className={styles.reason}>
          Buys cartons and labels every month, tape never. Four of the five others of its size and trade buy all three.
        </p>
        <p className={styles.opening}>
          “Your last 2,000 cartons went out on Friday. What do you close them with?”
        </p>
      </Sheet>
    </Vignette>
  );
}
