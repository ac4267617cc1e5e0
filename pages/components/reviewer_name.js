// Remembers the reviewer's name in this browser, so that a reload does not ask again.
export default function ({ data }) {
  const year = 365 * 24 * 3600;
  document.cookie = `${data.cookie}=${data.value}; path=/; max-age=${year}; SameSite=Lax`;
}
