using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Npgsql;

namespace NativeThreading.KestrelServer;

/// <summary>A page of what a database says, as TechEmpower has it: all rows of a table and one more, sorted, escaped.</summary>
internal static class Fortunes
{
    // All servers of a run together stay below what the database takes.
    private const string Limit = ";Maximum Pool Size=32";

    private const string Query = "SELECT id, message FROM fortune";

    private const string Create =
        """
        CREATE TABLE IF NOT EXISTS fortune (id integer PRIMARY KEY, message text NOT NULL);
        INSERT INTO fortune SELECT n, 'A fortune of some sixty characters, as a cookie has it, number ' || n FROM generate_series(1, 11) n ON CONFLICT DO NOTHING;
        INSERT INTO fortune VALUES (12, '<script>alert("This is not to be run.");</script>') ON CONFLICT DO NOTHING;
        """;

    private static NpgsqlDataSource? s_source;

    public static void Map(WebApplication application)
    {
        application.MapPut("/fortunes", OpenAsync);
        application.MapGet("/fortunes", AnswerAsync);
        application.MapGet("/fortunes-back", ComeBackAndAnswerAsync);
    }

    /// <summary>The body says where the database is.</summary>
    private static async Task OpenAsync(HttpContext context)
    {
        using var body = new StreamReader(context.Request.Body);
        s_source = NpgsqlDataSource.Create(await body.ReadToEndAsync().ConfigureAwait(false) + Limit);
        await using NpgsqlCommand command = s_source.CreateCommand(Create);
        await command.ExecuteNonQueryAsync().ConfigureAwait(false);
    }

    private static async Task AnswerAsync(HttpContext context)
    {
        var fortunes = new List<(int Id, string Message)>();
        await using (NpgsqlCommand command = s_source!.CreateCommand(Query))
        await using (NpgsqlDataReader reader = await command.ExecuteReaderAsync().ConfigureAwait(false))
        {
            while (await reader.ReadAsync().ConfigureAwait(false))
            {
                fortunes.Add((reader.GetInt32(0), reader.GetString(1)));
            }
        }

        await SendAsync(context, fortunes).ConfigureAwait(false);
    }

    /// <summary>The same as applications write it: each await comes back to where the handler runs, if that wants it to.</summary>
    [SuppressMessage("Reliability", "CA2007", Justification = "That is what the row is about.")]
    private static async Task ComeBackAndAnswerAsync(HttpContext context)
    {
        var fortunes = new List<(int Id, string Message)>();
        await using (NpgsqlCommand command = s_source!.CreateCommand(Query))
        await using (NpgsqlDataReader reader = await command.ExecuteReaderAsync())
        {
            while (await reader.ReadAsync())
            {
                fortunes.Add((reader.GetInt32(0), reader.GetString(1)));
            }
        }

        await SendAsync(context, fortunes);
    }

    private static Task SendAsync(HttpContext context, List<(int Id, string Message)> fortunes)
    {
        fortunes.Add((0, "Additional fortune added at request time."));
        fortunes.Sort(static (a, b) => string.CompareOrdinal(a.Message, b.Message));
        context.Response.ContentType = "text/html; charset=utf-8";
        return context.Response.WriteAsync(Page(fortunes));
    }

    private static string Page(List<(int Id, string Message)> fortunes)
    {
        var page = new StringBuilder("<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>");
        foreach ((int id, string message) in fortunes)
        {
            page.Append("<tr><td>").Append(id).Append("</td><td>").Append(HtmlEncoder.Default.Encode(message)).Append("</td></tr>");
        }

        return page.Append("</table></body></html>").ToString();
    }
}
