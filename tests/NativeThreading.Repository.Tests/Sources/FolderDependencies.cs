using System.Reflection;
using System.Reflection.Emit;
using System.Text.RegularExpressions;
using NativeThreading.Tests.Support;

namespace NativeThreading.Repository.Tests.Sources;

/// <summary>
/// Which folders of a package need which others: by what their compiled types mention, in declarations and in code. Types in the
/// root belong to no folder. The values of constants are compiled in, and leave no trace.
/// </summary>
internal sealed partial class FolderDependencies
{
    private const BindingFlags All =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<short, OpCode> s_opCodes =
        typeof(OpCodes).GetFields().Select(static field => (OpCode)field.GetValue(null)!).ToDictionary(static code => code.Value);

    private readonly Dictionary<string, string> _folders = []; // by the names of types
    private readonly Assembly _assembly;
    private readonly Dependencies _found = new();

    private FolderDependencies(string package)
    {
        _assembly = Assembly.Load(package);
        string root = Path.Combine("src", package);
        foreach (string file in SourceTree.Files(root, "*.cs"))
        {
            foreach (Match type in Declaration().Matches(File.ReadAllText(file)))
            {
                _folders[type.Groups[1].Value] = Path.GetDirectoryName(Path.GetRelativePath(Path.Combine(SourceTree.Root, root), file))!;
            }
        }
    }

    public static Dependencies Of(string package)
    {
        var reader = new FolderDependencies(package);
        foreach (Type type in reader._assembly.GetTypes().Where(type => reader.FolderOf(type) is not null))
        {
            reader.Read(type);
        }

        return reader._found;
    }

    private void Read(Type type)
    {
        Type[] constraints = [.. type.GetGenericArguments().SelectMany(static parameter => parameter.GetGenericParameterConstraints())];
        foreach (Type? mentioned in (Type?[])[type.BaseType, .. type.GetInterfaces(), .. constraints, .. type.GetFields(All).Select(static field => field.FieldType)])
        {
            Mention(type, mentioned);
        }

        foreach (MethodBase method in (MethodBase[])[.. type.GetMethods(All), .. type.GetConstructors(All)])
        {
            Mention(type, method);
            if (method.GetMethodBody() is { } body)
            {
                body.LocalVariables.ToList().ForEach(local => Mention(type, local.LocalType));
                ReadCode(type, method, body.GetILAsByteArray()!);
            }
        }
    }

    private void ReadCode(Type type, MethodBase method, byte[] code)
    {
        Type[]? ofMethod = method.IsGenericMethod ? method.GetGenericArguments() : null;
        for (int at = 0; at < code.Length;)
        {
            OpCode operation = s_opCodes[code[at] == 0xFE ? unchecked((short)(0xFE00 | code[at + 1])) : code[at]];
            at += operation.Size;
            if (operation.OperandType is OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType)
            {
                Mention(type, method.Module.ResolveMember(BitConverter.ToInt32(code, at), type.GetGenericArguments(), ofMethod));
            }

            at += operation.OperandType switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => 4 + (4 * BitConverter.ToInt32(code, at)),
                _ => 4,
            };
        }
    }

    private void Mention(Type by, MemberInfo? member)
    {
        switch (member)
        {
            case Type { HasElementType: true } type:
                Mention(by, type.GetElementType());
                break;
            case Type type:
                if (FolderOf(type) is { } folder)
                {
                    _found.Add(FolderOf(by)!, folder, $"{Outermost(by).Name} ({Outermost(type).Name})");
                }

                Array.ForEach(type.GetGenericArguments(), argument => Mention(by, argument));
                break;
            case FieldInfo field:
                Mention(by, field.DeclaringType);
                Mention(by, field.FieldType);
                break;
            case MethodBase method:
                Mention(by, method.DeclaringType);
                Mention(by, (method as MethodInfo)?.ReturnType);
                Array.ForEach(method.GetParameters(), parameter => Mention(by, parameter.ParameterType));
                Array.ForEach(method.IsGenericMethod ? method.GetGenericArguments() : [], argument => Mention(by, argument));
                break;
        }
    }

    private string? FolderOf(Type type) =>
        !type.IsGenericParameter && Outermost(type) is var declared && declared.Assembly == _assembly
            && _folders.TryGetValue(declared.Name.Split('`')[0], out string? folder) && folder.Length != 0 ? folder : null;

    private static Type Outermost(Type type) => type.DeclaringType is { } outer ? Outermost(outer) : type;

    [GeneratedRegex(@"^[a-z ]*\b(?:class|struct|interface|enum|record|delegate \S+) (\w+)", RegexOptions.Multiline)]
    private static partial Regex Declaration();
}
