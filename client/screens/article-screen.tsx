import { Link, useParams } from 'react-router-dom';
import { findArticleBySlug } from '../../shared/content/articles.ts';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import { routePatterns } from '../../shared/paths.ts';
import { RESPONSE_PROMISE, type Site } from '../../shared/site.ts';
import type { ScreenParams } from '../app/screen-registry.ts';
import { CallToAction } from '../components/call-to-action.tsx';
import { NotFoundMessage } from '../components/not-found-message.tsx';
import { PageBody } from '../components/page-body.tsx';
import { Prose } from '../components/prose.tsx';
import { ArticleHeader } from './article/article-header.tsx';
import { articleSummaries } from './article/article-summaries.ts';
import styles from './article/article.module.css';

/** An article. Only this screen may name articles: the listing's chunks may not. */
export function Screen() {
  const article = findArticleBySlug(useParams().slug);
  if (!article) return <NotFoundMessage />;
  const { paragraphs, points, pointsHeading } = articleSummaries[article.slug];

  return (
    <>
      <article>
        <ArticleHeader article={article} />
        <PageBody>
          <Prose>
            {paragraphs.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
            <h2>{pointsHeading}</h2>
            <ul>
              {points.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          </Prose>
          <p>
            <Link className={styles.back} to={routePatterns.insights}>
              Back to Insights
            </Link>
          </p>
        </PageBody>
      </article>
      <CallToAction
        heading="What would this look like in your company?"
        text={`Describe your situation in a few lines. We answer ${RESPONSE_PROMISE}, free and without obligation.`}
        buttonLabel="Get Your Free Assessment"
      />
    </>
  );
}

export function getMeta(_site: Site, { slug }: ScreenParams): PageMeta | undefined {
  const article = findArticleBySlug(slug);

  return (
    article && {
      title: article.title,
      description: article.description,
      updatedOn: article.date,
    }
  );
}
