/** Sentences of the contact form that the specification gives word for word. */
export const contactMessages = {
  heading: 'Get Your Free Business Transformation Assessment',
  submitting: 'Submitting...',
  success:
    "Congratulations! Your assessment request has been submitted successfully. We'll be in touch within 24 hours to schedule your free consultation.",
  /** Prefix when the server reports an error. */
  serverError: 'Database error: ',
  /** Prefix when no answer came. */
  noAnswer: 'Submission failed: ',
} as const;
