using System.Globalization;
using System.Reflection;
using System.Text;
using NativeThreading.Platform;
using NativeThreading.Tests.Support;

namespace NativeThreading.Tests.Platform;

/// <summary>
/// T90: structs and errno values of managed code, against what the C compiler makes of the header: a program prints its
/// sizes, offsets and values, and the test compares.
/// </summary>
[NeedsSystem(NeedsSystemAttribute.Linux)]
public sealed class NativeLayoutTests : IDisposable
{
    private static readonly (string Native, Type Managed, string[] Fields)[] s_structs =
    [
        ("nth_event_t", typeof(NativeEvent), ["token", "kind", "flags"]),
        ("nth_event_loop_stats_t", typeof(EventLoopStats), ["waits", "controls", "writes", "reads", "lingers", "looks"]),
        ("nth_buffer_t", typeof(NativeBuffer), ["base", "length"]),
    ];

    private static readonly (string Native, long Managed)[] s_errors =
    [
        ("EPERM", NativeCore.EPerm),
        ("EBADF", NativeCore.EBadF),
        ("EAGAIN", NativeCore.EAgain),
        ("EEXIST", NativeCore.EExist),
        ("ESHUTDOWN", NativeCore.EShutdown),
        ("EBUSY", -NativeCore.Busy),
    ];

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("nth-layout-");

    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public async Task T90_LayoutsAndErrorsAreTheCompilers()
    {
        IReadOnlyDictionary<string, long> native = await AskTheCompilerAsync();
        foreach ((string name, Type managed, string[] fields) in s_structs)
        {
            Assert.Equal(native[$"sizeof {name}"], ManagedLayout.SizeOf(managed));
            FieldInfo[] all = managed.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
            Assert.Equal(fields, all.Select(field => field.Name.ToLowerInvariant()));
            Assert.All(all, field =>
            {
                string key = $"{name}.{field.Name.ToLowerInvariant()}";
                Assert.Equal((key, native[$"offset {key}"]), (key, ManagedLayout.OffsetOf(managed, field.Name)));
                Assert.Equal((key, native[$"size {key}"]), (key, ManagedLayout.SizeOf(field.FieldType)));
            });
        }

        Assert.All(s_errors, error => Assert.Equal((error.Native, native[error.Native]), error));
    }

    [Fact]
    public void T90_EveryStructOfTheHeaderIsCompared() =>
        Assert.Equal(
            NativeHeader.Text.Split("typedef struct ").Skip(1)
                .Where(text => text.IndexOf('{', StringComparison.Ordinal) is >= 0 and var brace && brace < text.IndexOf(';', StringComparison.Ordinal))
                .Select(text => text.Split(' ', '{')[0] + "_t")
                .Order(StringComparer.Ordinal),
            s_structs.Select(compared => compared.Native).Order(StringComparer.Ordinal));

    private async Task<IReadOnlyDictionary<string, long>> AskTheCompilerAsync()
    {
        var source = new StringBuilder("#include <errno.h>\n#include <stddef.h>\n#include <stdio.h>\n#include \"native_threading.h\"\nint main(void) {\n");
        foreach ((string name, _, string[] fields) in s_structs)
        {
            Print(source, $"sizeof {name}", $"sizeof({name})");
            foreach (string field in fields)
            {
                Print(source, $"offset {name}.{field}", $"offsetof({name}, {field})");
                Print(source, $"size {name}.{field}", $"sizeof((({name} *)0)->{field})");
            }
        }

        foreach ((string name, _) in s_errors)
        {
            Print(source, name, name);
        }

        string file = Path.Combine(_directory.FullName, "layout.c"), program = Path.ChangeExtension(file, null);
        await File.WriteAllTextAsync(file, source.Append("}\n").ToString());
        await RunAsync("cc", "-I", Path.Combine(SourceTree.Root, "native", "include"), "-o", program, file);
        return (await RunAsync(program)).Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split(": "))
            .ToDictionary(parts => parts[0], parts => long.Parse(parts[1], CultureInfo.InvariantCulture), StringComparer.Ordinal);
    }

    private static void Print(StringBuilder source, string name, string value) =>
        source.AppendLine(CultureInfo.InvariantCulture, $"  printf(\"{name}: %lld\\n\", (long long)({value}));");

    private async Task<string> RunAsync(string program, params string[] arguments)
    {
        CommandLine.Result result = await CommandLine.RunAsync(program, arguments, _directory.FullName, Deadline.Time);
        Assert.True(result.ExitCode == 0, result.Output);
        return result.Output;
    }
}
