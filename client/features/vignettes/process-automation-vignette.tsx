import styles from './process-automation-vignette.module.css';
import { Bead, motion, Row, Sheet, text, Vignette } from './vignette.tsx';

function Mail() {
  return (
    <Sheet className={styles.mail} title="New order" note="email from a customer, 6:42 a.m.">
      <p className={text.quiet}>Good morning, please send us</p>
      <p>
        <mark className={`${motion.sweep} ${styles.read}`}>40 boxes of the 35 mm hinges,</mark>
      </p>
      <p>
        <mark className={`${motion.sweep} ${styles.read}`}>12 pairs of drawer slides, 450 mm,</mark>
      </p>
      <p>
        and <mark className={`${motion.sweep} ${styles.read}`}>the usual amount of wood screws</mark>
      </p>
      <p>
        to <mark className={`${motion.sweep} ${styles.read}`}>the Elm Street warehouse, by June 12.</mark>
      </p>
      <p className={text.quiet}>Thanks, and have a good week!</p>
    </Sheet>
  );
}

function Order() {
  return (
    <Sheet className={`${styles.order} ${motion.rise}`} title="Order 5-2231" note="entered 6:42 a.m.">
      <Row className={`${styles.line} ${motion.slide}`} name="Hinge 35 mm" value="40 boxes" />
      <Row className={`${styles.line} ${motion.slide}`} name="Drawer slide 450 mm" value="12 pairs" />
      <Row className={`${styles.line} ${motion.slide}`} name="Deliver to" value="Elm Street, June 12" />
      <div className={`${styles.unsure} ${motion.rise}`}>
        <Row
          className={styles.field}
          name="Wood screw 4 × 40"
          value={
            <>
              10 boxes? <span className={styles.check}>Check</span>
            </>
          }
        />
        <span className={styles.question}>
          <Bead className={styles.found} />
          The last three orders had 10. Is that “the usual”?
        </span>
      </div>
    </Sheet>
  );
}

function Systems() {
  return (
    <Sheet className={`${styles.systems} ${motion.rise}`} title="One click by Sales" note="from 8:00 a.m.">
      <span className={text.muted}>and it goes to</span> <b>warehouse and billing</b>
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.stage}
      label="An order that came by email is read line by line and entered as an order; one quantity the software is unsure of waits for a person to check."
    >
      <Mail />
      <Order />
      <Systems />
    </Vignette>
  );
}
