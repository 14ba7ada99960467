import type { Testimonial as TestimonialContent } from '../../shared/content/solution-schema.ts';
import styles from './testimonial-band.module.css';

function Testimonial({ quote, role, companySize }: TestimonialContent) {
  return (
    <figure className={styles.testimonial}>
      <blockquote className={styles.quote}>
        <p>“{quote}”</p>
      </blockquote>
      <figcaption className={styles.author}>
        <span className={styles.role}>{role}</span>
        <span className={styles.company}>{companySize}</span>
      </figcaption>
    </figure>
  );
}

interface TestimonialBandProps {
  readonly testimonials: readonly TestimonialContent[];
}

/** Client quotes, attributed only by role and company size, on the darkest shade of the accent color. */
export function TestimonialBand({ testimonials }: TestimonialBandProps) {
  return (
    <section className={styles.band} aria-label="What clients say">
      <div className={styles.inner}>
        {testimonials.map((testimonial) => (
          <Testimonial key={testimonial.quote} {...testimonial} />
        ))}
      </div>
    </section>
  );
}
