import { useId, useState } from 'react';
import { useIsHydrated } from '../../app/page-state.tsx';
import { wakeWhenNear } from '../../app/wake-conditions.ts';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import styles from './share-links.module.css';

interface ShareLinksProps {
  readonly title: string;
  /** With its origin. */
  readonly url: string;
}

function CopyButton({ url }: Pick<ShareLinksProps, 'url'>) {
  const [result, setResult] = useState('');
  const copy = () => {
    // What doesn't change isn't read out.
    setResult('');
    navigator.clipboard.writeText(url).then(
      () => setResult('Link copied.'),
      () => setResult('The link could not be copied. You can copy it from the address bar.'),
    );
  };

  return (
    <>
      <button className={styles.copy} type="button" onClick={copy}>
        Copy link
      </button>
      <span role="status">{result}</span>
    </>
  );
}

/** Ways to pass an article on. All are plain addresses: nothing of other sites is loaded before it is asked for. */
export function ShareLinks({ title, url }: ShareLinksProps) {
  const titleId = useId();
  // Browsers let pages write to the clipboard over HTTPS and on this machine only.
  const mayCopy = useIsHydrated() && 'clipboard' in navigator;
  const [text, address] = [title, url].map(encodeURIComponent);
  const sites = [
    { name: 'LinkedIn', href: `https://www.linkedin.com/sharing/share-offsite/?url=${address}` },
    { name: 'X', href: `https://x.com/intent/post?url=${address}&text=${text}` },
  ];

  return (
    <section className={styles.share} aria-labelledby={titleId} {...wakeWhenNear}>
      <h2 className={styles.title} id={titleId}>
        Share this article
      </h2>
      <ul className={styles.ways} role="list">
        {sites.map(({ name, href }) => (
          <li key={name}>
            <a href={href} target="_blank" rel="noopener noreferrer">
              {name}
              <VisuallyHidden> (opens in a new tab)</VisuallyHidden>
            </a>
          </li>
        ))}
        <li>
          {/* Spelled here: an import that legal pages share would be one more request of every article. */}
          <a href={`mailto:?subject=${text}&body=${address}`}>Email</a>
        </li>
        {mayCopy && (
          <li className={styles.copyItem}>
            <CopyButton url={url} />
          </li>
        )}
      </ul>
    </section>
  );
}
