import styles from './cross-selling-ai-vignette.module.css';
import { Bead, motion, Sheet, text, Vignette } from './vignette.tsx';

/** Who buys cartons, labels and tape each month; of the other five, four buy all three. */
const customers = [
  { name: 'Dairy', staff: 140, buys: [true, true, true] },
  { name: 'Coffee roaster', staff: 85, buys: [true, true, true] },
  { name: 'Bakery', staff: 90, buys: [true, true, false], isFound: true },
  { name: 'Sauce maker', staff: 110, buys: [true, true, true] },
  { name: 'Brewery', staff: 120, buys: [true, false, true] },
  { name: 'Snack maker', staff: 95, buys: [true, true, true] },
] as const;

function Customers() {
  return (
    <Sheet className={styles.customers} title="Orders each month" note="food makers of 80 to 150 people">
      <div className={`${styles.row} ${text.muted}`}>
        <span>Customer</span>
        <span>Cartons</span>
        <span>Labels</span>
        <span>Tape</span>
      </div>
      {customers.map(({ name, staff, buys, ...customer }) => {
        const isFound = 'isFound' in customer;

        return (
          <div key={name} className={`${styles.row} ${isFound ? `${styles.lit} ${motion.sweep}` : text.quiet}`}>
            <span>
              {name}
              <span className={styles.staff}>, {staff} people</span>
            </span>
            {buys.map((isBought, index) => (
              <span key={index} className={isBought ? styles.bought : isFound ? styles.missing : styles.none} />
            ))}
          </div>
        );
      })}
    </Sheet>
  );
}

function Note() {
  return (
    <Sheet className={`${styles.note} ${motion.rise}`} title="Call the bakery" note="Monday’s list, no. 1">
      <p className={`${styles.offer} ${motion.rise}`}>
        <Bead className={styles.found} />
        <b>Offer: packing tape</b>
      </p>
      <p className={`${styles.reason} ${motion.rise}`}>
        Buys cartons and labels every month, tape never. Four of the five others of its size and trade buy all three.
      </p>
      <p className={`${styles.opening} ${motion.rise}`}>
        “Your last 2,000 cartons went out on Friday. What do you close them with?”
      </p>
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.stage}
      label="In a table of similar customers one row lights up: the bakery buys cartons and labels every month but never tape, and the account manager gets a note with the offer, the reason, and an opening line."
    >
      <Customers />
      <Note />
    </Vignette>
  );
}
