using System.Net.Http.Headers;
using System.Runtime.CompilerServices;

namespace NativeThreading.Top;

/// <summary>Samples of a live page.</summary>
internal sealed class PageSource : ISampleSource, IDisposable
{
    private readonly HttpClient _client = new() { Timeout = Timeout.InfiniteTimeSpan };
    private readonly string _url;

    public PageSource(string url, IEnumerable<(string Name, string Value)> headers)
    {
        _url = url;
        foreach ((string name, string value) in headers)
        {
            _client.DefaultRequestHeaders.TryAddWithoutValidation(name, value);
        }
    }

    public string Name => $"The page at {_url}";

    public string ExplanationOf(string condition) => $"{_url}#condition-{condition}";

    public async IAsyncEnumerable<string> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, $"{_url}/api/v1/stream");
        request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("text/event-stream"));
        using HttpResponseMessage response = await _client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken);
        response.EnsureSuccessStatusCode();
        using var reader = new StreamReader(await response.Content.ReadAsStreamAsync(cancellationToken));
        while (await reader.ReadLineAsync(cancellationToken) is { } line)
        {
            if (line.StartsWith("data: ", StringComparison.Ordinal))
            {
                yield return line["data: ".Length..];
            }
        }
    }

    public void Dispose() => _client.Dispose();
}
