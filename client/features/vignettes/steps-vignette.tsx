import { Bead, join, Sheet, Vignette } from './vignette.tsx';
import styles from './vignette.module.css';

/** What happens to the same documents in each step of our process. */
const steps = [
  { beat: 1, name: 'Assess', what: 'It costs 30 hours a week.' },
  { beat: 2, name: 'Centralize', what: 'Five inboxes, one list.' },
  { beat: 3, name: 'Automate', what: 'AI matches; a person checks.' },
  { beat: 4, name: 'Optimize', what: 'Now it costs 18 hours.' },
] as const;

/** Centers of the spheres, back to front. Every third one is dark. */
const spheres = '64,30 42,44 83,48 58,57 24,66 98,71 40,72 76,76 55,86 15,96 92,92 34,99 73,101 116,98';

function Heap() {
  return (
    <svg className={styles.heap} viewBox="0 14 132 102">
      <radialGradient id="heap-sugar" cx="0.34" cy="0.28" r="0.8">
        <stop offset="0.1" stopColor="#fff" />
        <stop offset="0.5" stopColor="#ece5d6" />
        <stop offset="1" stopColor="#a79d87" />
      </radialGradient>
      <radialGradient id="heap-satin" cx="0.34" cy="0.28" r="0.8">
        <stop offset="0.05" stopColor="#9db3a4" />
        <stop offset="0.4" stopColor="#3c5546" />
        <stop offset="1" stopColor="var(--color-deep)" />
      </radialGradient>
      {spheres.split(' ').map((center, index) => {
        const [x, y] = center.split(',');

        return <circle key={center} cx={x} cy={y} r={13} fill={`url(#heap-${index % 3 === 1 ? 'satin' : 'sugar'})`} />;
      })}
    </svg>
  );
}

export function Scene() {
  return (
    <Vignette
      className={styles.howWeWork}
      label="Four beads roll from a heap into a row, one for each step: 240 supplier invoices a week that cost 30 hours are assessed, brought into one list, matched by AI while a person checks, and measured again at 18 hours."
    >
      <Heap />
      <Sheet className={styles.steps} title="Supplier invoices" note="240 a week">
        <div className={styles.places}>
          <span className={styles.path} />
          {steps.map(({ beat, name, what }) => (
            <div key={name} className={join(styles.step, styles[`beat${beat}`])}>
              <span className={styles.place}>
                <Bead className={styles.rolling} />
              </span>
              <b>{name}</b>
              <span className={styles.muted}>{what}</span>
            </div>
          ))}
        </div>
      </Sheet>
    </Vignette>
  );
}
