using System.Net.Http.Headers;
using System.Text.Json;
using NativeThreading.Top;
using Spectre.Console;

const int Well = 0, Wrong = 1, Failed = 2;
const string Usage = "Usage: nthtop URL [--once] [--json] [--header \"NAME: VALUE\"]...\nURL is the address of the live page, http://127.0.0.1:5000/threads.";

if (!Arguments.TryParse(args, out Arguments? arguments))
{
    Console.Error.WriteLine(Usage);
    return Failed;
}

using var client = new HttpClient { Timeout = Timeout.InfiniteTimeSpan };
foreach ((string name, string value) in arguments.Headers)
{
    client.DefaultRequestHeaders.TryAddWithoutValidation(name, value);
}

using var ended = new CancellationTokenSource();
Console.CancelKeyPress += (_, pressed) =>
{
    pressed.Cancel = true;
    ended.Cancel();
};

int result = Well;
try
{
    if (arguments.Once)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(ended.Token);
        patience.CancelAfter(TimeSpan.FromSeconds(30));
        Show(await client.GetStringAsync(new Uri($"{arguments.Url}/api/v1/snapshot"), patience.Token));
    }
    else if (arguments.Json || Console.IsOutputRedirected)
    {
        await foreach (string sample in ReadAsync())
        {
            Show(sample);
        }
    }
    else
    {
        await AnsiConsole.Live(new Text("Waiting for the first sample.")).StartAsync(async live =>
        {
            while (!ended.IsCancellationRequested)
            {
                try
                {
                    await foreach (string sample in ReadAsync())
                    {
                        live.UpdateTarget(Screen.Of(Noted(JsonElement.Parse(sample))));
                    }
                }
                catch (Exception exception) when (exception is HttpRequestException or IOException)
                {
                    live.UpdateTarget(new Markup($"[yellow]No connection, trying again.[/] {Markup.Escape(exception.Message)}"));
                }

                await Task.Delay(TimeSpan.FromSeconds(2), ended.Token);
            }
        });
    }
}
catch (OperationCanceledException) when (ended.IsCancellationRequested)
{
}
catch (Exception exception) when (exception is HttpRequestException or IOException or OperationCanceledException or JsonException)
{
    Console.Error.WriteLine($"The page at {arguments.Url} cannot be read: {exception.Message}");
    return Failed;
}

return result;

JsonElement Noted(JsonElement sample)
{
    result = sample.GetProperty("verdicts").GetArrayLength() == 0 ? Well : Wrong;
    return sample;
}

void Show(string text)
{
    JsonElement sample = Noted(JsonElement.Parse(text));
    if (arguments.Json)
    {
        Console.WriteLine(text);
    }
    else
    {
        AnsiConsole.Write(Screen.Of(sample));
    }
}

async IAsyncEnumerable<string> ReadAsync()
{
    using var request = new HttpRequestMessage(HttpMethod.Get, $"{arguments.Url}/api/v1/stream");
    request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("text/event-stream"));
    using HttpResponseMessage response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, ended.Token);
    response.EnsureSuccessStatusCode();
    using var reader = new StreamReader(await response.Content.ReadAsStreamAsync(ended.Token));
    while (await reader.ReadLineAsync(ended.Token) is { } line)
    {
        if (line.StartsWith("data: ", StringComparison.Ordinal))
        {
            yield return line["data: ".Length..];
        }
    }
}
