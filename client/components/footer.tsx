import { useId } from 'react';
import { Link } from 'react-router-dom';
import {
  footerColumns,
  securityClaims,
  type FooterColumn,
} from '../../shared/content/navigation.ts';
import { COPYRIGHT_YEAR } from '../../shared/site.ts';
import { useSite } from '../app/page-state.tsx';
import styles from './footer.module.css';
import { Icon } from './icon.tsx';
import { SiteLogo } from './header.tsx';

function Column({ column: { heading, links } }: { column: FooterColumn }) {
  const headingId = useId();

  return (
    <nav aria-labelledby={headingId}>
      <h2 className={styles.heading} id={headingId}>
        {heading}
      </h2>
      <ul role="list">
        {links.map(({ label, to }) => (
          <li key={label}>
            <Link className={styles.link} to={to}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The end of every page. */
export function Footer() {
  const { name } = useSite();

  return (
    <footer className={styles.footer}>
      <div className={styles.inner}>
        <div className={styles.brand}>
          <SiteLogo />
          <p className={styles.line}>
            We handle the non-revenue work so you can focus on revenue.
          </p>
        </div>
        <div className={styles.columns}>
          {footerColumns.map((column) => (
            <Column key={column.heading} column={column} />
          ))}
        </div>
        <div className={styles.end}>
          <ul className={styles.claims} role="list" aria-label="Security">
            {securityClaims.map(({ label, icon }) => (
              <li key={label} className={styles.claim}>
                <Icon className={styles.claimIcon} name={icon} />
                {label}
              </li>
            ))}
          </ul>
          <p>
            © {COPYRIGHT_YEAR} {name}
          </p>
        </div>
      </div>
    </footer>
  );
}
