import { Finding, Row, Sheet, Stroke, Vignette } from './vignette.tsx';
import styles from './vignette.module.css';

function Mail() {
  return (
    <Sheet place="first" className={styles.letter} title="New order" note="email from a customer, 6:42 a.m.">
      <p className={styles.quiet}>Good morning, please send us</p>
      <p>
        <Stroke>40 boxes of the 35 mm hinges,</Stroke>
      </p>
      <p>
        <Stroke>12 pairs of drawer slides, 450 mm,</Stroke>
      </p>
      <p>
        and <Stroke>the usual amount of wood screws</Stroke>
      </p>
      <p>
        to <Stroke>the Elm Street warehouse, by June 12.</Stroke>
      </p>
      <p className={styles.quiet}>Thanks, and have a good week!</p>
    </Sheet>
  );
}

function Order() {
  return (
    <Sheet place="right" title="Order 5-2231" note="entered 6:42 a.m.">
      <Row className={styles.line} name="Hinge 35 mm" value="40 boxes" />
      <Row className={styles.line} name="Drawer slide 450 mm" value="12 pairs" />
      <Row className={styles.line} name="Deliver to" value="Elm Street, June 12" />
      <div className={styles.unsure}>
        <Row
          name="Wood screw 4 × 40"
          value={
            <>
              10 boxes? <span className={styles.check}>Check</span>
            </>
          }
        />
        <Finding beat={3}>The last three orders had 10. Is that “the usual”?</Finding>
      </div>
    </Sheet>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.processAutomation}
      label="The software reads an emailed order line by line and enters it into the system, except for one quantity that it is unsure of and leaves for a person to check."
    >
      <Mail />
      <Order />
      <Sheet place="left" title="One click from Sales" note="from 8:00 a.m.">
        <span className={styles.muted}>and it goes to</span> <b>warehouse and billing</b>
      </Sheet>
    </Vignette>
  );
}
