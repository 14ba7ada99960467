export const newsletterMessages = {
  /** The same for known and unknown addresses. */
  success: 'Please check your email: we sent a link to confirm your subscription.',
  submitting: 'Subscribing…',
  noResponse: 'No answer came from the server. Please check your connection and try again.',
} as const;
